package dispatch

import (
	"testing"

	"go.uber.org/goleak"

	"torve/internal/record/postgres/pgtest"
)

// A run leaves no worker behind, however it ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
