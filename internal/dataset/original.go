package dataset

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
)

// original reports whether a set, which was read, consists of the files that its authors published. The argument
// classes has the number of samples of each class, in the training part and in the test part. The note describes the
// set. If the set cannot be the original, the note says why, and how to get the original. It is "" if nothing is
// known about the set.
//
// The digest of a part ([Set.Digest]) identifies most originals. For CIFAR-10 and CIFAR-100, only the MD5 of the
// published files is known, with which other programs check their downloads.
func (k *kind) original(s *Set, classes [][2]int) (known bool, note string, err error) {
	if got := [2]int{s.Samples(Train), s.Samples(Test)}; got != k.samples {
		return false, k.differs("it has", got, k.samples), nil
	}
	for i, got := range classes {
		want := [2]int{k.samples[0] / len(classes), k.samples[1] / len(classes)}
		if k.even && got != want {
			return false, k.differs("class "+s.Classes[i]+" has", got, want), nil
		}
	}
	f, reason := locate(k.files, []string{s.Path})
	if k.md5 == nil || reason != "" {
		return false, "", nil
	}
	for i, want := range k.md5 {
		if sum, err := f.files[i].md5(); sum != want || err != nil {
			return false, "", err
		}
	}
	return true, "the original " + k.title, nil
}

// differs returns the note for numbers of samples that the original does not have.
func (k *kind) differs(what string, got, want [2]int) string {
	return fmt.Sprintf("this is not the original: %s %s samples instead of %s; %s", what, inParts(got), inParts(want),
		k.get)
}

// md5 returns the MD5 of the file's decoded content, in hexadecimal.
func (f file) md5() (string, error) {
	in, err := f.stream()
	if err != nil {
		return "", err
	}
	defer in.Close()
	h := md5.New()
	if _, err := io.Copy(h, in); err != nil {
		return "", fmt.Errorf("%s: %w", f.name, damaged(err))
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// inParts formats the numbers of training samples and of test samples, such as 50,000 + 10,000.
func inParts(n [2]int) string { return thousands(n[0]) + " + " + thousands(n[1]) }

// thousands formats a number with commas between groups of three digits.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}
