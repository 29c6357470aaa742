// Package config holds the configuration of a training run. It defines the keys, their defaults and their meaning,
// and reads them strictly from YAML.
//
// A Config goes through these states, each reached by one function:
//
//   - written: the configuration is the content of a file and its `--set` overrides ([Draft]), [Default] with a
//     program's changes, or a Go literal, in which zeros mean "not given";
//   - complete ([Config.Complete]): keys that follow from other keys are filled in. [Load] returns complete
//     configurations, and [Config.ForRun] completes the configuration of a program;
//   - fitted ([Config.FitClasses]): the width and tau are filled in, which follow from the classes of the data;
//   - checked ([Config.Check]): all values are valid. Once the data are known, [Config.CheckClasses] checks the
//     network against them.
//
// A key has the same name as in the file, with dots: train.optimizer.lr.
//
// A Config is stored in the model file as JSON. It therefore contains everything that determines the trained model,
// and nothing else. For example, it has no number of threads and no output folder. A Config from a file remembers the
// place of each key, so that errors of later checks, such as [Config.CheckClasses], can name the place. JSON and
// comparisons omit the places.
package config

import "ialgn/internal/topology"

// Config is the configuration of one training run. docs/reference/config.md describes each key.
type Config struct {
	Name    string  `yaml:"name" json:"name"`
	Data    Data    `yaml:"data" json:"data"`
	Encoder Encoder `yaml:"encoder" json:"encoder"`
	Model   Model   `yaml:"model" json:"model"`
	Train   Train   `yaml:"train" json:"train"`

	source *source // where the keys came from; nil for a Go literal (see Config.ForRun) or a model
}

// Data names the data set. The keys from Train on apply only to the sets csv and arrays, which are the user's own
// files.
type Data struct {
	// digits | mnist | fashion-mnist | cifar10 | cifar100 | parity | copy | csv | arrays | memory
	Set string `yaml:"set" json:"set"`
	// Dir is the folder of the data set. If Dir is empty, the set is searched in --data, IALGN_DATA and the cache.
	Dir string `yaml:"dir" json:"dir,omitempty"`
	// Length is the number of steps of the sequences of parity and copy.
	Length      int    `yaml:"length" json:"length,omitempty"`
	Train       string `yaml:"train" json:"train,omitempty"`               // file of the training samples, gzipped or not
	TrainLabels string `yaml:"train_labels" json:"train_labels,omitempty"` // file of the training labels, for arrays
	Test        string `yaml:"test" json:"test,omitempty"`                 // file of test samples; empty: Train is split
	TestLabels  string `yaml:"test_labels" json:"test_labels,omitempty"`   // file of the test labels, for arrays
	Label       string `yaml:"label" json:"label,omitempty"`               // name of the label column; empty: last column
	Header      string `yaml:"header" json:"header,omitempty"`             // auto | yes | no

	// The next keys say how the lines of a CSV file are read and what the columns are. The defaults auto, point and
	// refuse are stored as empty text. Lists have the form of [Names].
	Separator  string `yaml:"separator" json:"separator,omitempty"`   // auto | comma | semicolon | tab | pipe | space
	Decimal    string `yaml:"decimal" json:"decimal,omitempty"`       // point | comma
	Thousands  string `yaml:"thousands" json:"thousands,omitempty"`   // none | comma | point | space | apostrophe
	Columns    string `yaml:"columns" json:"columns,omitempty"`       // the columns that are read; empty means all
	Drop       string `yaml:"drop" json:"drop,omitempty"`             // columns that are not read
	Categories string `yaml:"categories" json:"categories,omitempty"` // columns that hold words, not numbers
	Missing    string `yaml:"missing" json:"missing,omitempty"`       // refuse | median
	// MissingValues lists words for a missing value, in addition to the usual words.
	MissingValues string `yaml:"missing_values" json:"missing_values,omitempty"`

	TestShare float64 `yaml:"test_share" json:"test_share,omitempty"` // share of Train used for testing, if Test is empty
	SplitSeed uint64  `yaml:"split_seed" json:"split_seed,omitempty"`
	Folds     int     `yaml:"folds" json:"folds,omitempty"` // number of folds of Train; 0: no cross-validation
	Fold      int     `yaml:"fold" json:"fold,omitempty"`   // the fold that is the test part, from 1
	// Group is the column of a CSV file whose equal values mark rows that stay in one part. It is not a feature.
	Group string `yaml:"group" json:"group,omitempty"`
	Order string `yaml:"order" json:"order,omitempty"` // none | time; none is stored as empty text

	// Beside is not a key. It is the folder of the configuration or model that names the data. It is the last place in
	// which data files are searched. It is not stored.
	Beside string `yaml:"-" json:"-"`

	// Plain is not a key. It says that samples are read for a network of another program, or for a network whose
	// training started from such a network. The features are then the numbers of an array in their order, whatever the
	// array's shape. If the network reads whole numbers or bits, the values are used unchanged.
	Plain bool `yaml:"-" json:"plain,omitempty"`

	// Classes is not a key. It names the classes of a model that reads samples, because the samples may have labels. It
	// is not stored.
	Classes *[]string `yaml:"-" json:"-"`

	// Memory is not a key. It holds the samples of the data set memory, which has no files. It is not stored.
	Memory *Samples `yaml:"-" json:"-"`
}

// Encoder says how features become bits.
type Encoder struct {
	Kind       string `yaml:"kind" json:"kind"`                 // thermometer
	Bits       int    `yaml:"bits" json:"bits"`                 // n_b: each feature has bits-1 thresholds
	Thresholds string `yaml:"thresholds" json:"thresholds"`     // uniform | quantile | learned
	BitsIn     int    `yaml:"bits_in" json:"bits_in,omitempty"` // width of a quantised feature in bits
	Ranges     string `yaml:"ranges" json:"ranges,omitempty"`   // robust | full | model
	Raw        bool   `yaml:"raw" json:"raw,omitempty"`         // whole numbers are compared without scaling
}

// Model holds the keys of the network.
type Model = topology.Keys

// Train says how the network is trained.
type Train struct {
	Estimator   string  `yaml:"estimator" json:"estimator"`               // ste | soft | gumbel
	Temperature float64 `yaml:"temperature" json:"temperature,omitempty"` // temperature of the random choices of gumbel
	Gradients   string  `yaml:"gradients" json:"gradients,omitempty"`     // float32 | int8
	// none | balanced | weights of classes in the loss, such as "S=8, V=2.5"
	ClassWeights string     `yaml:"class_weights" json:"class_weights,omitempty"`
	Offsets      string     `yaml:"offsets" json:"offsets,omitempty"` // none | ties | integer; none is stored as empty text
	Candidates   Candidates `yaml:"candidates" json:"candidates,omitzero"`
	Augment      Augment    `yaml:"augment" json:"augment,omitzero"`
	Cost         Cost       `yaml:"cost" json:"cost,omitzero"`
	Removed                 // keys that only models of earlier versions have
	Freeze       Freeze     `yaml:"freeze" json:"freeze,omitzero"`
	Optimizer    Optimizer  `yaml:"optimizer" json:"optimizer"`
	Epochs       int        `yaml:"epochs" json:"epochs"`
	Batch        int        `yaml:"batch" json:"batch"`
	Seed         uint64     `yaml:"seed" json:"seed"`
	Schedule     Schedule   `yaml:"schedule" json:"schedule"`
	Validation   Validation `yaml:"validation" json:"validation"`
	Checkpoint   Checkpoint `yaml:"checkpoint" json:"-"`
}

// Candidates says which candidates of pins are replaced during training. All keys except Kind apply only to random
// and gradient.
type Candidates struct {
	Kind    string  `yaml:"kind" json:"kind,omitempty"`       // fixed | random | gradient
	Every   int     `yaml:"every" json:"every,omitempty"`     // epochs from one replacement to the next
	Replace int     `yaml:"replace" json:"replace,omitempty"` // number of candidates of a pin that are replaced
	Until   float64 `yaml:"until" json:"until,omitempty"`     // share of the epochs after which replacing ends
	Batches int     `yaml:"batches" json:"batches,omitempty"` // gradient only: number of batches that are summed
	Share   float64 `yaml:"share" json:"share,omitempty"`     // gradient only: share of sources that are scored; 0: all
	Gap     float64 `yaml:"gap" json:"gap,omitempty"`         // a new candidate's logit is the largest minus Gap
}

// Optimizer holds the keys of the optimiser Adam (Kingma and Ba, 2015).
type Optimizer struct {
	Kind  string  `yaml:"kind" json:"kind"`
	LR    float64 `yaml:"lr" json:"lr"`
	Beta1 float64 `yaml:"beta1" json:"beta1"`
	Beta2 float64 `yaml:"beta2" json:"beta2"`
	Eps   float64 `yaml:"eps" json:"eps"`

	// WeightDecay is the rate of weight decay. In each step, every logit loses this share times the learning rate
	// (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", ICLR 2019).
	WeightDecay float64 `yaml:"weight_decay" json:"weight_decay,omitempty"`
}

// Schedule says how the learning rate changes during training. Final applies only to cosine. Every and Factor apply
// only to step.
type Schedule struct {
	Kind   string  `yaml:"kind" json:"kind"`               // constant | cosine | step
	Warmup float64 `yaml:"warmup" json:"warmup,omitempty"` // number of epochs of a linear rise; may be a fraction
	Final  float64 `yaml:"final" json:"final,omitempty"`   // final rate, as a share of the learning rate
	Every  int     `yaml:"every" json:"every,omitempty"`   // epochs from one drop to the next
	Factor float64 `yaml:"factor" json:"factor,omitempty"` // factor by which each drop multiplies the rate
}

// Validation holds back a part of the training set, which is used to compare epochs.
type Validation struct {
	Share float64 `yaml:"share" json:"share"`
	// Stratified says that the held-out part has the class shares of the training set. Models of earlier versions lack
	// the key, because their held-out parts were drawn without regard to classes.
	Stratified bool `yaml:"stratified" json:"stratified,omitempty"`
	// Metric names the metric that compares epochs, one of the names in package metrics. It is empty for the accuracy.
	Metric   string `yaml:"metric" json:"metric,omitempty"`
	Patience int    `yaml:"patience" json:"patience"`   // epochs without a gain after which the run ends; 0: never
	Keep     string `yaml:"keep" json:"keep,omitempty"` // best | last: the epoch whose parameters the model gets
}

// Checkpoint says how often a run saves its state. It does not change the trained model and is therefore not stored
// in it.
type Checkpoint struct {
	Minutes float64 `yaml:"minutes" json:"-"`
}
