package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ialgn/internal/config"
)

// kind is a set that consists of fixed files.
type kind struct {
	name, title string
	classes     []string
	folders     []string   // names of the set's own folder, in order of preference
	files       [][]string // for each file, its possible names (without ".gz")
	get         string
	open        func(k *kind, files []file) (*Set, error)
	known       []content
	samples     [2]int   // numbers of samples of the original's training part and test part
	even        bool     // each class of the original has the same number of samples
	md5         []string // MD5 of each of the original's files without compression; nil if not known
}

// content describes the known content of a set. train and test are the digests of the two parts ([Set.Digest]).
type content struct{ train, test, note string }

var mnistFiles = [][]string{
	{"train-images-idx3-ubyte", "train-images.idx3-ubyte"},
	{"train-labels-idx1-ubyte", "train-labels.idx1-ubyte"},
	{"t10k-images-idx3-ubyte", "t10k-images.idx3-ubyte"},
	{"t10k-labels-idx1-ubyte", "t10k-labels.idx1-ubyte"},
}

// kinds lists the sets with files, in display order.
var kinds = []*kind{
	{
		name: "mnist", title: "MNIST handwritten digits, 28 x 28 pixels",
		samples: [2]int{60_000, 10_000},
		classes: strings.Fields("0 1 2 3 4 5 6 7 8 9"),
		folders: []string{"mnist"},
		files:   mnistFiles,
		get:     "download the four files from https://ossci-datasets.s3.amazonaws.com/mnist/ into a folder mnist",
		open:    openMNIST,
		known: []content{{
			train: "2894856ce20bd91fde2ecd4e972bd2b1978dcdc8eb7128084aa3e87dda935a17",
			test:  "eff12dcb6d35894feb4feb8c6e44ec4cd33816f2df1be06abf12186acd3cfacb",
			note:  "the original MNIST",
		}},
	},
	{
		name: "fashion-mnist", title: "Fashion-MNIST, 28 x 28 pixels",
		samples: [2]int{60_000, 10_000}, even: true,
		classes: strings.Split("T-shirt/top,Trouser,Pullover,Dress,Coat,Sandal,Shirt,Sneaker,Bag,Ankle boot", ","),
		folders: []string{"fashion-mnist", "fashion"},
		files:   mnistFiles,
		get: "install the Debian package dataset-fashion-mnist, or download the four files of " +
			"https://github.com/zalandoresearch/fashion-mnist into a folder fashion-mnist",
		open: openMNIST,
		known: []content{{
			train: "0af0b5af92374e90a533cc16fb64e998cbd7c267fc1dd9d45d99ee6533ea32d5",
			test:  "7a1c608b1b8040bed948678643c965f75cadc4ac1afdf0759e73c45aa8ac67d8",
			note:  "the original Fashion-MNIST",
		}},
	},
	{
		name: "cifar10", title: "CIFAR-10, 32 x 32 colour pixels",
		samples: [2]int{50_000, 10_000}, even: true,
		classes: strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
		folders: []string{"cifar-10", "cifar-10-batches-bin", "cifar10"},
		files: [][]string{
			{"data_batch_1.bin"},
			{"data_batch_2.bin"},
			{"data_batch_3.bin"},
			{"data_batch_4.bin"},
			{"data_batch_5.bin"},
			{"test_batch.bin"},
		},
		get: "unpack https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz (170 MB, " +
			"MD5 c32a1d4ab5d03f1284b67883e8d87530) in one of the searched folders",
		md5: []string{
			"5dd7e06a14cb22eb9f671a540d1b7c25", "5ea93a67294ea407fff1d09f752e9692", "942cd6a4bcdd0dd3c604fbe906cb4421",
			"ae636b3ba5c66a11e91e8cb52e771fcb", "53f37980c15c3d472c316c40844f3f0d", "803d5f7f4d78ea53de84dbe85f74fb6d",
		},
		open: openCIFAR10,
		known: []content{{
			train: "32f4822591e1315dedd1d7269dd209abe0835b790c99236164aca5bd20da6c87",
			test:  "55ddbcdb0b6b7add08646ef95dc656a7811ed1f582f999864d01ab10244de23c",
			note:  "a copy of CIFAR-10 with 93 of the 60,000 images restored from JPEG; say so with any accuracy",
		}},
	},
	{
		name: "cifar100", title: "CIFAR-100 with its 100 fine labels, 32 x 32 colour pixels",
		samples: [2]int{50_000, 10_000}, even: true,
		classes: strings.Fields(cifar100Classes),
		folders: []string{"cifar-100", "cifar-100-binary", "cifar100"},
		files:   [][]string{{"train.bin"}, {"test.bin"}},
		get: "unpack https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz (169 MB, " +
			"MD5 03b5dce01913d631647c71ecec9e9cb8) in one of the searched folders",
		md5:  []string{"6172c7755cfe09b2fe270c85cebc1b15", "4499cfba6c016c1be1438163640a0898"},
		open: openCIFAR100,
	},
}

const cifar100Classes = `apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle
	bowl boy bridge bus butterfly camel can castle caterpillar cattle
	chair chimpanzee clock cloud cockroach couch crab crocodile cup dinosaur
	dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard
	lamp lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain
	mouse mushroom oak_tree orange orchid otter palm_tree pear pickup_truck pine_tree
	plain plate poppy porcupine possum rabbit raccoon ray road rocket
	rose sea seal shark shrew skunk skyscraper snail snake spider
	squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor
	train trout tulip turtle wardrobe whale willow_tree wolf woman worm`

func findKind(name string) (*kind, bool) {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil, false
	}
	return kinds[i], true
}

// imageOf returns the image shape of a named data set. It returns zero if the shape does not follow from the name.
func imageOf(set string) Shape {
	size := config.ImageOf(set)
	return Shape{size[0], size[1], size[2]}
}

// ShapeOf returns the image shape of a named data set. It returns zero if the set has no images, or if its images
// do not have the given number of features. It reads no files.
func ShapeOf(set string, features int) Shape {
	shape := imageOf(set)
	if shape.Planes*shape.Height*shape.Width != features {
		return Shape{}
	}
	return shape
}

// setNames lists the names of all sets that [Open] can open.
func setNames() []string {
	names := []string{"digits"}
	for _, k := range kinds {
		names = append(names, k.name)
	}
	for _, k := range sequences {
		names = append(names, k.name)
	}
	return append(names, "csv", "arrays")
}

// systemFolder is the folder of Debian's data set packages.
const systemFolder = "/usr/share/datasets"

// Folders returns the folders in which data sets are searched, in this order:
//   - flag, the value of --data, unless it is empty;
//   - the folder in the environment variable IALGN_DATA, if it is set;
//   - the folder ialgn in the user's cache directory;
//   - the system's folder of data sets.
func Folders(flag string) []string {
	var folders []string
	for _, f := range []string{flag, os.Getenv("IALGN_DATA")} {
		if f != "" {
			folders = append(folders, f)
		}
	}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, filepath.Join(cache, "ialgn"))
	}
	return append(folders, systemFolder)
}
