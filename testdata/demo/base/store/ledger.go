package store

import (
	"context"
	"database/sql"
	"fmt"
)

// Ledger is the book of captures.
type Ledger struct {
	DB *sql.DB
}

// Capture books the capture of an order.
func (l *Ledger) Capture(ctx context.Context, order string) error {
	_, err := l.DB.ExecContext(ctx, "INSERT INTO captures(order_id) VALUES ($1)", order)
	if err != nil {
		return fmt.Errorf("booking the capture of %s: %w", order, err)
	}
	return nil
}
