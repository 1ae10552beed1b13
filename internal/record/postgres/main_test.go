package postgres

import (
	"testing"

	"go.uber.org/goleak"

	"torve/internal/record/postgres/pgtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(pgtest.Main(m)) }
