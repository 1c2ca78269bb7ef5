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
