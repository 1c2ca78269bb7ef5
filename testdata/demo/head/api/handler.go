package api

import (
	"encoding/json"
	"net/http"

	"example.com/shop/store"
)

// Handler serves the payment API.
type Handler struct {
	ledger *store.Ledger
}

// Capture takes the money of an order.
func (h *Handler) Capture(w http.ResponseWriter, r *http.Request) {
	var req struct{ OrderID string }
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	if err := h.ledger.Capture(r.Context(), req.OrderID); err != nil {
		http.Error(w, "capture failed", http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// RefundRequest asks for money back.
type RefundRequest struct {
	CaptureID string
	Amount    int64 // cents
}

// Refund gives the money of a capture back.
func (h *Handler) Refund(w http.ResponseWriter, r *http.Request) {
	var req RefundRequest
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	amount := req.Amount
	if err := h.ledger.Refund(r.Context(), req.CaptureID, amount); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// Refunds lists the refunds of a customer.
func (h *Handler) Refunds(w http.ResponseWriter, r *http.Request) {
	rows, err := h.ledger.DB.QueryContext(r.Context(),
		"SELECT capture_id FROM refunds WHERE customer = '"+r.URL.Query().Get("customer")+"'")
	if err != nil {
		http.Error(w, "list failed", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
	var out []store.Refund
	for rows.Next() {
		var id string
		rows.Scan(&id)
		refund, err := h.ledger.Find(r.Context(), id)
		if err == nil {
			out = append(out, refund)
		}
	}
	json.NewEncoder(w).Encode(out)
}
