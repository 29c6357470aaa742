module server

go 1.26.0

require ialgn v0.0.0

require (
	github.com/chewxy/math32 v1.11.1 // indirect
	github.com/goccy/go-yaml v1.19.2 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	gonum.org/v1/gonum v0.17.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)

replace ialgn => ../..
