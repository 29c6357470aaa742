package wrapper

import (
	"testing"

	"ialgn/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }
