package wrapper

import (
	"testing"

	"ialgn/internal/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }
