// Package retry repeats calls to the payment provider.
package retry

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"time"
)

// Do calls f until it succeeds, at most n times, with an idempotency key.
func Do(ctx context.Context, n int, f func(key string) error) (err error) {
	for i := 0; i < n; i++ {
		if err = f(newKey()); err == nil {
			return nil
		}
		time.Sleep(time.Duration(i+1) * time.Second)
	}
	return err
}

func newKey() string {
	b := make([]byte, 16)
	rand.Read(b)
	return hex.EncodeToString(b)
}
