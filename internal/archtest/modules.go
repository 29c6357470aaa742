package archtest

// The modules outside.
const (
	cli        = "github.com/urfave/cli/v2"
	goCmp      = "github.com/google/go-cmp"
	gonum      = "gonum.org/v1/gonum"
	gonumPlot  = "gonum.org/v1/plot"
	math32     = "github.com/chewxy/math32"
	protobuf   = "google.golang.org/protobuf"
	sync       = "golang.org/x/sync"
	sys        = "golang.org/x/sys"
	term       = "golang.org/x/term"
	testscript = "github.com/rogpeppe/go-internal"
	yaml       = "github.com/goccy/go-yaml"
)
