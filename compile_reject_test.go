package ialgn_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"ialgn"
	"ialgn/backend"
	"ialgn/internal/model"
	"ialgn/internal/netgen"
)

// TestCompileRejectShare compiles a model whose leads are known. The design must have the margin of the share, and its
// report the figures of the calibration.
func TestCompileRejectShare(t *testing.T) {
	made := netgen.Model(netgen.ModelOptions{Offsets: true, Seed: 3})
	made.Calibration = &model.Calibration{
		Samples: 200, Temperature: 1, Leads: []int{4, 6, 0, 10, 180}, Correct: []int{1, 3, 0, 8, 171},
	}
	path := filepath.Join(t.TempDir(), "m.safetensors")
	if _, err := made.Save(path); err != nil {
		t.Fatal(err)
	}
	m, err := ialgn.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	d, err := ialgn.Compile(t.Context(), m, ialgn.CompileOptions{RejectShare: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Report()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Rejection; got == nil || got.Margin != 3 || got.Of != 200 || got.Uncertain != 0.05 || got.Samples != 190 ||
		got.Correct != 179 || got.Accuracy == nil || *got.Accuracy != 179.0/190 {
		t.Errorf("%+v, want margin 3 with 10 of 200 samples uncertain and 179 of the others correct", got)
	}
	dir := filepath.Join(t.TempDir(), "design")
	if err := d.Write(t.Context(), dir, ialgn.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
	out, err := backend.Read(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var recorded ialgn.CompileOptions
	if err := json.Unmarshal(out.Manifest.Options, &struct {
		Reject *int     `json:"reject"`
		Share  *float64 `json:"reject_share"`
	}{&recorded.Reject, &recorded.RejectShare}); err != nil || recorded.Reject != 3 || recorded.RejectShare != 0.05 {
		t.Errorf("manifest: margin %d, share %v, want 3 and 0.05: %v", recorded.Reject, recorded.RejectShare, err)
	}
	c, err := ialgn.Verify(t.Context(), m, d, ialgn.VerifyOptions{Level: "software"})
	if err != nil || c.Result != "verified" || c.Reject != 3 {
		t.Errorf("%+v: %v", c, err)
	}
}
