package dataset

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/config"
)

func TestFolders(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", "/cache")
	t.Setenv("HOME", "/home/me")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cache = filepath.Join(cache, "ialgn")
	t.Setenv("IALGN_DATA", "/env")
	if diff := cmp.Diff([]string{"/flag", "/env", cache, systemFolder}, Folders("/flag")); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
	t.Setenv("IALGN_DATA", "")
	if diff := cmp.Diff([]string{cache, systemFolder}, Folders("")); diff != "" {
		t.Errorf("none given (-want +got):\n%s", diff)
	}
}

func TestFind(t *testing.T) {
	below := func(dir string, sets ...map[string][]byte) string {
		files := map[string][]byte{}
		for _, set := range sets {
			for name, data := range set {
				files[filepath.Join(dir, name)] = data
			}
		}
		return writeFiles(t, files)
	}
	incomplete := tinyMNIST()
	delete(incomplete, "t10k-labels-idx1-ubyte")
	a, b, c := below("mnist", tinyMNIST()), below(".", tinyMNIST()), below("fashion-mnist", tinyMNIST())
	part := below("mnist", incomplete)
	tests := []struct {
		name    string
		set     string
		dir     string
		folders []string
		want    string // empty if the set is not found
	}{
		{"own subfolder", "mnist", "", []string{a}, a + "/mnist"},
		{"folder itself", "mnist", "", []string{b}, b},
		{"first folder wins", "mnist", "", []string{b, a}, b},
		{"incomplete is passed over", "mnist", "", []string{part, a}, a + "/mnist"},
		{"data.dir itself, before the folders", "mnist", b, []string{a}, b},
		{"subfolder of data.dir", "mnist", a, []string{b}, a + "/mnist"},
		{"data.dir without it", "mnist", c, []string{a}, a + "/mnist"},
		{"another set's folder is left out", "fashion-mnist", "", []string{a + "/mnist"}, ""},
		{"unless named as data.dir", "fashion-mnist", a + "/mnist", nil, a + "/mnist"},
		{"not in another set's subfolder", "mnist", "", []string{c}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, err := Open(context.Background(), config.Data{Set: tt.set, Dir: tt.dir}, 8, tt.folders)
			if tt.want == "" {
				wantError(t, err, "data set "+tt.set+": not found: ")
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if s.Path != tt.want {
				t.Errorf("found in %s, want %s", s.Path, tt.want)
			}
		})
	}
}

func TestFindErrors(t *testing.T) {
	incomplete := tinyMNIST()
	delete(incomplete, "t10k-labels-idx1-ubyte")
	dir := writeFiles(t, incomplete)
	_, err := Open(context.Background(), config.Data{Set: "mnist"}, 8, []string{dir, "/nowhere"})
	wantError(t, err, dir+" (without t10k-labels-idx1-ubyte)", "/nowhere/mnist")
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Set != "mnist" {
		t.Errorf("error %v is no MissingError of mnist", err)
	}
	wantError(t, errors.New(missing.Hint()), "download the four files", "Folders")
	_, err = Open(context.Background(), config.Data{Set: "imagenet"}, 8, nil)
	wantError(t, err, `data set "imagenet": unknown`, "digits, mnist, fashion-mnist, cifar10, cifar100, parity, copy, csv")
	_, err = Open(context.Background(), config.Data{Set: "cifar10"}, 8, nil)
	wantError(t, err, "there is no folder to search")
}

// TestShapeOf checks that ShapeOf returns the shape of the named set if it fits the number of features.
func TestShapeOf(t *testing.T) {
	digits, cifar := openDigits(), cifarSet(kinds[2], nil)
	for _, c := range []struct {
		name     string
		features int
		want     Shape
	}{
		{"digits", digits.Features, digits.Shape},
		{"cifar10", cifar.Features, cifar.Shape},
		{"cifar100", cifar.Features, cifar.Shape},
		{"mnist", 784, Shape{1, 28, 28}},
		{"fashion-mnist", 784, Shape{1, 28, 28}},
		{"mnist", 12, Shape{}},
		{"csv", 784, Shape{}},
		{"memory", 64, Shape{}},
		{"no such set", 64, Shape{}},
	} {
		if got := ShapeOf(c.name, c.features); got != c.want {
			t.Errorf("%s of %d features: %+v, want %+v", c.name, c.features, got, c.want)
		}
	}
}
