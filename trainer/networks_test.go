package trainer

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ialgn/internal/kernel"
	"ialgn/internal/model"
	"ialgn/internal/testkit"
)

// named is a network together with a name and the digest of its logits.
type named struct {
	name string
	sets []string
	want string

	// vectors is true if this network differs from the other networks only in code of the vector paths.
	vectors bool
}

// networks lists the paper's networks and estimators except the plain IALGN. Each entry holds the digest of the
// network's logits after an epoch of 39 batches. This digest is the same on every SIMD path and machine.
var networks = []named{
	{"hidden", []string{"model.hidden=4"}, "bcfd38b54ac351c9713fa56cf951a1496556656b1cd3cc294d320961f3f40a31", false},
	{"light", []string{"model.parametrization=light"}, "b70d5d67a916f1d0c43a475bfec4a29de18cf1437d69182e07db9033f98bbcdb", false},
	{"rwlgn", []string{"model.topology=rwlgn"}, "11bbcd978a8b9f578335bafffd050bac722a2c1e1e368bae72e909f57b8e4258", false},
	{
		"rwlgn-balanced",
		[]string{"model.topology=rwlgn", "model.wiring=balanced"},
		"67abbdae4afafaf16146fe7dd576e22710fad29d9aa0f1fb5264fb3f0803ea57",
		false,
	},
	{
		"rwlgn-spine",
		[]string{"model.topology=rwlgn-spine"},
		"865c793934012ffcba351a315d49f206d815f44a2357969ea8cfa84d5d7a1199",
		false,
	},
	{
		"rwlgn-classwise",
		[]string{"model.topology=rwlgn-classwise"},
		"fb26274103d91562d7a8532916018dbfbcf520921b18b2013db2ae5a21217d50",
		false,
	},
	{
		"ldlgn",
		[]string{"model.topology=rwlgn", "model.parametrization=light"},
		"dfe8013ac7ece48f94ec5db11bcb13f9766bee0656e7009944b038479dd49ce9",
		false,
	},
	{"soft", []string{"train.estimator=soft"}, "26697133b332ab97c39e5c2e5d0ca7b9358c8fe31d11053edb70e4ebcc590f9b", false},
	{
		"soft-hidden",
		[]string{"train.estimator=soft", "model.hidden=4"},
		"84b785fab6d10478dde6ef5d4b6977968fe9c637e6bf0ba86d46cc6e8a16e62c",
		false,
	},
	{
		"soft-rwlgn",
		[]string{"train.estimator=soft", "model.topology=rwlgn"},
		"eda2c08ea6f9aadb54a93002e5c17e3002248a06767ef8ea9867d8ebf420b966",
		false,
	},
	{
		"soft-ldlgn",
		[]string{"train.estimator=soft", "model.topology=rwlgn", "model.parametrization=light"},
		"5d45bb54c1e74e12493901038530ce132988210fdefb1671c802a938fe9cb310",
		false,
	},
	{"six-pins", []string{"model.inputs=6", "model.depth=2", "model.anchors=16"}, "afccfffb94aed58dd3cbc624360c520bae0cd7abfc8b28aac2e7cc42f33b73f1", true},
	{"six-pins-int8", []string{"model.inputs=6", "model.depth=1", "model.anchors=16", "train.gradients=int8"}, "4087cf055e8300918020997c2e2665f433433f98390154d79e64fccb830b4745", false},
	{"four-pins-gradient", []string{
		"model.inputs=4", "model.depth=2", "model.anchors=16", "train.candidates.kind=gradient",
	}, "6e3bede634de3a68eea4748c6f7168c4184463b00f597e556a41200795556d53", false},
	{"random-candidates", []string{
		"model.inputs=3", "model.hidden=4", "model.depth=2", "train.candidates.kind=random",
	}, "29c65a9248a72d21e218c3989f2f5c39a830cb67d710e264b68ac6d6a71e9d64", true},
	{"four-pins-fused", []string{
		"model.inputs=4", "model.depth=2", "model.anchors=16", "train.gradients=int8", "train.candidates.kind=gradient",
	}, "14a66e5c3e30a14857b24f847a447b63bdb89c2f609cd16be450cdf6e0bd900a", true},
	{"four-pins-32", []string{"model.inputs=4", "model.depth=2", "model.anchors=32", "train.gradients=int8"}, "71023e8bcef2bae38bccd61e564d8c08651b639814537e9fc00a5150e144413e", true},
	{"six-pins-32", []string{"model.inputs=6", "model.depth=2", "model.anchors=32", "train.gradients=int8"}, "4b46fbfb5b14d9e41fad2e55621441a90344e22f0f730ce96dbe65eb3cfaf11b", true},
	{"one-pin", []string{"model.inputs=1", "model.depth=2", "train.gradients=int8"}, "be8fe81abfcdbff6303ee3590de056b1054f01d135da2c38544d9bee75edc1ef", true},
	{"chains-int8", []string{"train.gradients=int8"}, "c8fb90ef7bf26732fa1ff236dfdcf61b2aa80d68f69c2affda8eb32273371e92", false},
	{"gates-int8", []string{"train.gradients=int8", "model.hidden=3"}, "0d9ceb8ee83595cedf59616724213677fa62976a034e96347e32cb8a675ada65", true},
	{"gumbel", []string{"model.inputs=4", "model.depth=2", "train.estimator=gumbel"}, "e95e6ee3ee653fca894caa3d685897c29dfef25c2d5de5796a3e91dab1c0744c", false},
	{"gumbel-gates", []string{"train.estimator=gumbel", "train.temperature=0.5", "train.optimizer.lr=0.05"}, "5aede997125b748bb0fca42b2bb7dc4468bf7fee13f8ad2b63cd88783644f436", true},
	{"tree", []string{"model.topology=tree", "model.inputs=6", "model.leaves=3", "model.depth=2", "train.gradients=int8"}, "e181a075322dff91d9a6c9171d9ed209deb36fdaf0b7d777dd86d192c0469a84", false},
	{"layered", []string{"model.topology=layered", "model.inputs=4", "model.depth=2", "model.widths=70,60", "model.anchors=8"}, "ddf3e9a215583928d6880e59b3a6e96f9ed60de1f8aa5eb0a118b4abda310b34", true},
	{"layered-gradient", []string{
		"model.topology=layered", "model.depth=2", "model.widths=70,60", "model.hidden=6", "train.candidates.kind=gradient",
	}, "c8ebfe3112f9f03b664edc9ccc86a26a6dec66b978733fd697364fff42187148", false},
	{"gradient", []string{"train.candidates.kind=gradient"}, "353642448b56e13815a6ea237b83c6c2855394f3693bdc2e037e63f2ac36fb84", true},
	{"gradient-hidden", []string{"train.candidates.kind=gradient", "model.hidden=6"}, "06552b40751c7a259070e9c747a6fa43dd0be9e75f6211f33218d315a9c69509", false},
	{"gradient-soft", []string{"train.candidates.kind=gradient", "train.estimator=soft", "model.hidden=6"}, "a90cf0b1983e836f89569e24d6187c016881ef46a53b3ce8e667c7053e0106fe", true},
	{"shifted", []string{"train.augment.shift=1", "train.augment.flip=true", "train.augment.share=0.7"}, "c77193e3546d80b7f09286eef13d157b7ba996e529778e52201a6495e9857eb5", false},
	{"turned", []string{
		"train.augment.shift=1", "train.augment.rotate=8", "train.augment.scale=0.08", "train.augment.shear=0.1",
	}, "c02719bfd6636eb5a00df2a809e2328153a06e5916d5556609d447c1900c4fea", false},
	{"pressed", []string{
		"model.inputs=4", "model.depth=2", "model.anchors=16", "train.candidates.kind=gradient", "train.gradients=int8",
		"train.cost.target=ice40", "train.cost.pressure=0.0003",
	}, "95d289c44ae60bb2438e477800dc7aa2b50e39bc79bf66ca8e806f9334e05c15", false},
	{"pressed-gates", []string{"train.cost.target=xilinx7", "train.cost.pressure=0.001"}, "a0f32db7e0519ca6de3813ceece623b00969a270a7f1caa668a6a36a9e63bf76", true},
	{"learned", []string{"encoder.thresholds=learned"}, "a46d815a29b846a9f4f2f4b4ae5c67f34ab71b92e7b60526cf7b736f98694697", true},
	{"learned-hidden", []string{"encoder.thresholds=learned", "model.hidden=3", "train.candidates.kind=gradient"}, "b24e9e57e76712017f1f8ab30f5416e7ff0d58abb89ffc2b465f33abfed2fe89", true},
	{"learned-rwlgn", []string{"encoder.thresholds=learned", "model.topology=rwlgn"}, "ce4ddda257c2407bb1b9a33a2f44db1f83e3bcf6412c225f38f61ac2f1e71ab4", true},
	{"learned-light", []string{"encoder.thresholds=learned", "model.parametrization=light", "model.first_pin=fixed"}, "3aeb1b4ccac6f53b66a3fac92a73036922e7dc9a0407b458e6ddc10209fa47fc", true},
	{"learned-soft", []string{"encoder.thresholds=learned", "train.estimator=soft"}, "309d11f79db6efedb9e3cac61fefe0282c1f38c9a0d656638b99e80655cc506e", false},
	{"learned-soft-nodes", []string{"encoder.thresholds=learned", "model.inputs=3", "model.depth=2", "train.estimator=soft"}, "f791cfa19fcb3a396239978e8487e7d26fe8188a82c3a456a4c8958ed447e668", true},
	{"learned-gumbel", []string{"encoder.thresholds=learned", "model.inputs=4", "model.depth=2", "train.estimator=gumbel"}, "ce36502faa87b4c98ac6588c29ebb2db489f0a74d8b748a8cce4036feeebecdf", true},
	{"learned-fused", []string{
		"encoder.thresholds=learned", "model.inputs=6", "model.depth=2", "model.anchors=16", "train.gradients=int8", "train.candidates.kind=gradient",
	}, "b2799175e3d690c04974579b6bb9ddd9b4fe488dd0c712de6fbb6a305cc3eb3d", true},
	{"learned-fixed", []string{
		"encoder.thresholds=learned", "model.topology=layered", "model.inputs=4", "model.depth=2", "model.widths=70,60", "model.anchors=1",
	}, "1951e7e6802b72b50a3ee1075fe71b4a15c05103f23c43ade230992d53f97ecd", true},
	{"learned-tree", []string{
		"encoder.thresholds=learned", "model.topology=tree", "model.inputs=6", "model.leaves=3", "model.depth=2", "train.candidates.kind=random",
	}, "e0127fd5fb85a9ee4caffbe2a56b19d249724aba920d56dfad000f6db19a8c87", true},
	{"learned-turned", []string{"encoder.thresholds=learned", "train.augment.shift=1", "train.augment.rotate=8"}, "04d2cdec900574cd07f41d6b8b5dfc5baeb5b77df22896354512dbeef54dfbd2", true},
	{"learned-pressed", []string{
		"encoder.thresholds=learned", "model.inputs=4", "model.depth=2", "train.cost.target=ice40", "train.cost.pressure=0.001",
	}, "3312c0e173d147da85bb50daa14ce943aaca0b6a329ad85a19ce3082dcf13fde", false},
	{"learned-validation", []string{"encoder.thresholds=learned", "train.validation.share=0.2", "encoder.bits=7"}, "6228974e6520e702496de270e90e2b041844f2cf98a685bdc9a7b7f97df39512", true},
	{"weighted", []string{"train.class_weights=0=5, 3=0.5"}, "6d9b66ee64f47f2bb20252bb331ad2f7cf32a1d2c6a050180c4aa1be29bad6bb", false},
	{"weighted-pressed", []string{
		"train.class_weights=8=3", "model.inputs=4", "model.depth=2", "model.anchors=16", "train.candidates.kind=gradient",
		"train.gradients=int8", "train.cost.target=ice40", "train.cost.pressure=0.0003",
	}, "61e00dc6af85481cefee65f9290333b366f1ba036b02940c910fffcdcfb66ddd", true},
	{"weighted-soft", []string{"train.class_weights=8=1.25", "train.estimator=soft"}, "f56d4c1928fb6caf28ae01e45eea8e88553940eecaaf3e2cb0e755c99f4e4f7b", true},
	{"weighted-learned", []string{"train.class_weights=8=3", "encoder.thresholds=learned"}, "acc4729a4c1816c6439ad6ab7888711e777ce44a1dc85efee86bab9274c56a3f", true},
	{"conv-soft", []string{
		"model.topology=conv", "model.kernels=8,12", "model.levels=2,1", "model.widths=60,40", "model.depth=5", "model.width=40",
		"train.estimator=soft", "train.optimizer.weight_decay=0.1", "train.optimizer.lr=0.05",
	}, "fb1ef665338b89c6b42a610ca29447959babee6db6066aa89131521024c6bdcf", false},
	{"conv-chosen", []string{
		"model.topology=conv", "model.kernels=10,12", "model.levels=1", "model.widths=40", "model.depth=3", "model.width=40",
		"model.stride=1,2", "model.pool=2,1", "model.hidden=3", "model.channels=0", "train.estimator=soft", "train.optimizer.lr=0.05",
	}, "cab02e814a0cd80bd200e1bbc9a37dd9410a3855f0c9913ba8ecd764d1485409", true},
	{"conv-chains", []string{
		"model.topology=conv", "model.kernels=10,12", "model.levels=2,1", "model.leaves=1", "model.chains=2", "model.widths=60",
		"model.depth=5", "model.width=60", "model.anchors=6", "model.anchored=1", "train.optimizer.lr=0.05",
	}, "800f3d1a350e56c3569ec5bce571470983f2271b8e9b45a674c98ae7b9686b52", false},
	{"conv-ste", []string{
		"model.topology=conv", "model.kernels=20", "model.levels=1", "model.depth=2", "model.widths=60", "model.width=60",
		"model.parametrization=light", "train.optimizer.lr=0.05",
	}, "8e9c738ba8299bbedc2f6b8158d3725337a49ccbb7f0729cba634b94df61702e", true},
	{"conv-gradient", []string{
		"model.topology=conv", "model.kernels=10,12", "model.levels=2,1", "model.widths=60,60", "model.depth=5",
		"model.width=60", "model.hidden=5", "model.patch_hidden=3", "model.stride=1,2", "model.pool=2,1",
		"train.candidates.kind=gradient", "train.optimizer.lr=0.05", "train.optimizer.weight_decay=0.1",
	}, "0e6a0e33ee3e05e40a1973d03908fddc3e9320f842a49505a10c258de3f96221", false},
	{"conv-int8", []string{
		"model.topology=conv", "model.kernels=10", "model.levels=1", "model.widths=60,60", "model.depth=3", "model.width=60",
		"model.inputs=4", "model.hidden=5", "model.patch_hidden=1", "train.gradients=int8", "train.optimizer.lr=0.05",
	}, "4691b9a532de8cd45b8f0d3e430f10278bb6ed51753622328d679f97653a367d", false},
	{"conv-gradient-soft", []string{
		"model.topology=conv", "model.kernels=12", "model.levels=1", "model.widths=60", "model.depth=2", "model.width=60",
		"model.inputs=3", "model.hidden=4", "train.candidates.kind=gradient", "train.estimator=soft",
		"train.optimizer.lr=0.05",
	}, "e68000de4cd9fc75b0bc2e1d8bafebd4b93afb1b58e3bcbf1d747d09fe8547ca", true},
	{"recurrent-ste", []string{
		"model.topology=recurrent", "model.widths=70,60", "model.depth=2", "model.width=60", "train.optimizer.lr=0.05",
	}, "d074d7822a32606c0e208f7b46375ccd7a95a792fe5c4aff3f56e045e2729e7a", false},
	{"conv-gumbel", []string{
		"model.topology=conv", "model.kernels=20", "model.levels=1", "model.depth=2", "model.widths=60", "model.width=60",
		"model.inputs=4", "model.hidden=2", "train.estimator=gumbel", "train.optimizer.lr=0.05",
	}, "e54ad45961e3853cf883fac28da7e67806d17e17343f88d9eaf0ad117e55cd50", false},
	{"recurrent-soft", []string{
		"model.topology=recurrent", "model.widths=60", "model.depth=1", "model.width=60", "model.anchors=5", "train.estimator=soft",
		"model.inputs=4", "model.hidden=3", "train.optimizer.lr=0.05",
	}, "a9a2e35bebf9dde913dc33fc5c7235a47bb755437168bda3a2be97a47d928914", true},
	{"recurrent-gumbel", []string{
		"model.topology=recurrent", "model.widths=60,40", "model.depth=2", "model.width=40", "model.anchors=4",
		"model.hidden=3", "train.estimator=gumbel", "train.temperature=0.2", "train.optimizer.lr=0.02",
	}, "37c4ebd97bf43f67a746aff5d7bfcb0efbb3d90df5b156aa66dd811781df0559", true},
	{"recurrent-light", []string{
		"model.topology=recurrent", "model.widths=60,40", "model.depth=2", "model.width=40", "model.parametrization=light",
		"model.wiring=balanced", "train.estimator=soft", "train.optimizer.lr=0.05", "train.optimizer.weight_decay=0.1",
	}, "53e1a3deb7d6a28acfbb6db05a0278fb0640dc0a3729a8bf9312690bd570766f", true},
	{"soft-nodes", []string{"model.inputs=3", "train.estimator=soft", "model.depth=2"}, "79129fe60dc94d8c362a02b4b8a662453ef74bb1dd684092fb3922f10c97488a", false},
}

// epochs returns the override for the number of epochs. A network with learned thresholds needs two epochs, because
// its thresholds move after the first.
func (n *named) epochs() string {
	if slices.Contains(n.sets, "encoder.thresholds=learned") {
		return "train.epochs=2"
	}
	return "train.epochs=1"
}

// distinct returns the networks that differ from each other on every SIMD path. The long test tier takes all
// networks.
func distinct() []named {
	return slices.DeleteFunc(slices.Clone(networks), func(n named) bool { return n.vectors && !testkit.Whole() })
}

// TestNetworkBits trains each network for an epoch or two, with one thread or three. By default each network uses one
// SIMD path, and the paths take turns. A network whose field vectors is set uses a vector path. The long test tier
// uses all SIMD paths.
func TestNetworkBits(t *testing.T) {
	before, err := kernel.Path()
	if err != nil {
		t.Fatal(err)
	}
	defer kernel.Use(before)
	paths := kernel.Paths()
	for at, n := range networks {
		t.Run(n.name, func(t *testing.T) {
			turns := len(paths)
			if n.vectors {
				turns-- // the last path is the plain path
			}
			if turns == 0 {
				t.Skip("there are no vector paths")
			}
			for i, path := range paths {
				if i != at%turns && !testkit.Whole() {
					continue
				}
				if err := kernel.Use(path); err != nil {
					t.Fatal(err)
				}
				file := filepath.Join(t.TempDir(), "m")
				train(t, Run{Config: parse(t, append(n.sets, n.epochs())...), Model: file, Threads: 1 + 2*(i%2)})
				if got := logitsDigest(t, file); got != n.want {
					t.Errorf("path %s: the logits have the SHA-256 %s, want %s", path, got, n.want)
				}
			}
		})
	}
}

// logitsDigest returns the SHA-256 of all logits of a model.
func logitsDigest(t *testing.T, file string) string {
	t.Helper()
	m, h := loadModel(t, file), sha256.New()
	for i := range m.Sections {
		s := &m.Sections[i]
		arrays := []any{s.Ops}
		for k := range s.Pins {
			arrays = append(arrays, s.Pins[k].Logits)
			if m.Config.Train.Candidates.Kind != "fixed" {
				arrays = append(arrays, s.Pins[k].Wires.Narrow)
			}
		}
		if m.Config.Encoder.Learned() {
			arrays = append(arrays, slices.Concat(m.Encoder.Thresholds...))
		}
		for _, a := range arrays {
			if err := binary.Write(h, binary.LittleEndian, a); err != nil {
				t.Fatal(err)
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}

// TestNetworksResume interrupts each network's run within its second epoch, resumes it and compares the model with an
// uninterrupted run's. It also starts a run from the model. In the long test tier, the networks train on all digits,
// and each must learn something. In the default tier, only TestNetworkBits checks the trained networks.
func TestNetworksResume(t *testing.T) {
	few := fewDigits(t)
	for _, n := range distinct() {
		t.Run(n.name, func(t *testing.T) {
			dir := t.TempDir()
			whole, path := filepath.Join(dir, "whole"), filepath.Join(dir, "m")
			sets, least := few(n.sets...), math.SmallestNonzeroFloat64 // least relaxed accuracy
			if testkit.Whole() {
				sets, least = n.sets, 0.12
			}
			sets = append(slices.Clone(sets), "train.epochs=2")
			cfg := parse(t, sets...)
			var relaxed *float64
			s := train(t, Run{Config: cfg, Model: whole, Threads: 2, Progress: func(p Progress) { relaxed = p.Relaxed }})
			e := loadModel(t, whole).Record.Epochs
			if e[1].Loss == e[0].Loss || testkit.Whole() && e[1].Loss > e[0].Loss {
				t.Errorf("losses of the epochs: %v and %v: the network learns nothing", e[0].Loss, e[1].Loss)
			}
			if soft := cfg.Train.Estimator == "soft"; (s.Gap != nil) != soft || (soft && *s.RelaxedAccuracy < least) {
				t.Errorf("a relaxed accuracy and a gap: %v, with estimator %s", s.Gap != nil, cfg.Train.Estimator)
			}
			if diff := cmp.Diff(s.RelaxedAccuracy, relaxed); diff != "" {
				t.Errorf("relaxed accuracy (-summary +progress of the last epoch):\n%s", diff)
			}
			interrupted(t, Run{Config: cfg, Model: path, Threads: 2}, 2, 5)
			train(t, Run{Config: cfg, Model: path, Threads: 1, Resume: true})
			if string(read(t, path)) != string(read(t, whole)) {
				t.Error("the resumed model differs from the uninterrupted one")
			}
			tuned := filepath.Join(dir, "tuned")
			train(t, Run{
				Config: parse(t, append(sets, "train.epochs=1", "train.optimizer.lr=1e-9", "train.candidates.kind=fixed")...),
				Model:  tuned, Start: whole,
			})
			sameParameters(t, loadModel(t, whole), loadModel(t, tuned))
		})
	}
}

// sameParameters compares a model that was fine-tuned at a tiny rate with its start model.
func sameParameters(t *testing.T, was, is *model.Model) {
	t.Helper()
	for i := range was.Sections {
		a, b := &was.Sections[i], &is.Sections[i]
		arrays := [][2][]float32{{a.Ops, b.Ops}}
		for k := range a.Pins {
			if diff := cmp.Diff(a.Pins[k].Wires, b.Pins[k].Wires); diff != "" {
				t.Fatalf("section %d: wires (-start +tuned):\n%s", i, diff)
			}
			arrays = append(arrays, [2][]float32{a.Pins[k].Logits, b.Pins[k].Logits})
		}
		for j, logits := range arrays {
			for k := range logits[0] {
				if math.Abs(float64(logits[0][k]-logits[1][k])) > 1e-6 {
					t.Fatalf("section %d: array %d: logit %d was %v and is %v", i, j, k, logits[0][k], logits[1][k])
				}
			}
		}
	}
}

// TestSoftToHard trains a network with the relaxed gradient and fine-tunes it with the straight-through gradient.
func TestSoftToHard(t *testing.T) {
	dir := t.TempDir()
	soft, hard := filepath.Join(dir, "soft"), filepath.Join(dir, "hard")
	train(t, Run{Config: parse(t, "train.estimator=soft", "train.epochs=1"), Model: soft})
	s := train(t, Run{Config: parse(t, "train.epochs=1"), Model: hard, Start: soft})
	if first := loadModel(t, soft).Record.Epochs[0]; s.TestAccuracy < float64(first.TestCorrect)/float64(first.TestSamples) {
		t.Errorf("test accuracy %v, before tuning %s", s.TestAccuracy, fmt.Sprint(first))
	}
}
