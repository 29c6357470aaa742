package rtl

import (
	"testing"

	"ialgn/internal/tooltest"
)

func TestMain(m *testing.M) { tooltest.Main(m) }
