package dispatch

import (
	"testing"

	"go.uber.org/goleak"
)

// A run leaves no worker behind, however it ended.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
