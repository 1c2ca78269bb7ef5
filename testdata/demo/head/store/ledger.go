package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"example.com/shop/retry"
)

// Ledger is the book of captures and refunds.
type Ledger struct {
	DB  *sql.DB
	Pay func(ctx context.Context, key, capture string, cents int64) error
}

// Refund is money given back.
type Refund struct {
	CaptureID string
	Cents     int64
}

// ErrTooMuch says that more would go back than was captured.
var ErrTooMuch = errors.New("refund exceeds the capture")

// Capture books the capture of an order.
func (l *Ledger) Capture(ctx context.Context, order string) error {
	_, err := l.DB.ExecContext(ctx, "INSERT INTO captures(order_id) VALUES ($1)", order)
	if err != nil {
		return fmt.Errorf("booking the capture of %s: %w", order, err)
	}
	return nil
}

// Refund pays cents of a capture back and books it.
func (l *Ledger) Refund(ctx context.Context, capture string, cents int64) error {
	var left int64
	row := l.DB.QueryRowContext(ctx, "SELECT amount - refunded FROM captures WHERE id = $1", capture)
	if err := row.Scan(&left); err != nil {
		return fmt.Errorf("reading the balance of %s: %w", capture, err)
	}
	if cents > left {
		return ErrTooMuch
	}
	tx, err := l.DB.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("refunding %s: %w", capture, err)
	}
	defer tx.Rollback()
	if _, err := tx.ExecContext(ctx, "UPDATE captures SET refunded = refunded + $1 WHERE id = $2", cents, capture); err != nil {
		return fmt.Errorf("refunding %s: %w", capture, err)
	}
	if err := retry.Do(ctx, 3, func(key string) error { return l.Pay(ctx, key, capture, cents) }); err != nil {
		return fmt.Errorf("refunding %s: %w", capture, err)
	}
	return tx.Commit()
}

// Find returns one refund.
func (l *Ledger) Find(ctx context.Context, capture string) (Refund, error) {
	r := Refund{CaptureID: capture}
	row := l.DB.QueryRowContext(ctx, "SELECT cents FROM refunds WHERE capture_id = $1", capture)
	if err := row.Scan(&r.Cents); err != nil {
		return r, fmt.Errorf("finding the refund of %s: %w", capture, err)
	}
	return r, nil
}
