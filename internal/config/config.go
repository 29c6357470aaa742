// Package config holds the configuration of a training run: its keys, their defaults
// and their meaning, read strictly from YAML.
//
// A Config goes through these states, each by one function:
//
//   - written: what a file and its `--set` overrides give ([Draft]), what a program changed of [Default], or a literal
//     of Go, whose zeros say nothing;
//   - complete ([Config.Complete]): what follows from other keys is filled in. [Load] returns complete configurations,
//     and [Config.ForRun] makes complete what a program passes;
//   - fitted ([Config.FitClasses]): the width and tau that follow from the classes of the data, too;
//   - checked ([Config.Check]), and [Config.CheckClasses] once the data are known.
//
// A key is named as in the file, with dots: train.optimizer.lr.
//
// A Config is stored in the model file as JSON, so everything that decides the trained
// bytes is in it, and nothing that does not (threads, folders of output) is. One that
// came from a file remembers where each key stood, so that later checks, such as
// [Config.CheckClasses], can still point there; JSON and comparisons leave that out.
package config

import "ialgn/internal/topology"

// Config is one training run. docs/CONFIG.md describes each key.
type Config struct {
	Name    string  `yaml:"name" json:"name"`
	Data    Data    `yaml:"data" json:"data"`
	Encoder Encoder `yaml:"encoder" json:"encoder"`
	Model   Model   `yaml:"model" json:"model"`
	Train   Train   `yaml:"train" json:"train"`

	source *source // what gave the keys; nil: a literal of Go, whose zeros say nothing (see Config.ForRun), or a model
}

// Data names the data set. The keys from Train on are for one's own files, the sets csv and arrays.
type Data struct {
	// digits | mnist | fashion-mnist | cifar10 | cifar100 | parity | copy | csv | arrays | memory
	Set string `yaml:"set" json:"set"`
	// The folder that holds the set. If it is empty, --data, IALGN_DATA and the cache are searched.
	Dir string `yaml:"dir" json:"dir,omitempty"`
	// The steps of the sequences of parity and copy.
	Length      int    `yaml:"length" json:"length,omitempty"`
	Train       string `yaml:"train" json:"train,omitempty"`               // file of the training samples, gzip or not
	TrainLabels string `yaml:"train_labels" json:"train_labels,omitempty"` // file of their labels, for arrays
	Test        string `yaml:"test" json:"test,omitempty"`                 // file of the test samples; empty: a split of Train
	TestLabels  string `yaml:"test_labels" json:"test_labels,omitempty"`   // file of their labels, for arrays
	Label       string `yaml:"label" json:"label,omitempty"`               // name of the label column; empty: the last one
	Header      string `yaml:"header" json:"header,omitempty"`             // auto | yes | no

	// How the lines of a CSV file are read, and what its columns are; empty where nothing is said, which is what the
	// words auto, point and refuse become. The lists are those of [Names].
	Separator  string `yaml:"separator" json:"separator,omitempty"`   // auto | comma | semicolon | tab | pipe | space
	Decimal    string `yaml:"decimal" json:"decimal,omitempty"`       // point | comma
	Thousands  string `yaml:"thousands" json:"thousands,omitempty"`   // none | comma | point | space | apostrophe
	Columns    string `yaml:"columns" json:"columns,omitempty"`       // the columns that are read; empty: all
	Drop       string `yaml:"drop" json:"drop,omitempty"`             // columns that are not read
	Categories string `yaml:"categories" json:"categories,omitempty"` // columns that hold words, not numbers
	Missing    string `yaml:"missing" json:"missing,omitempty"`       // refuse | median
	// Words that say that a value is missing, besides the usual ones.
	MissingValues string `yaml:"missing_values" json:"missing_values,omitempty"`

	TestShare float64 `yaml:"test_share" json:"test_share,omitempty"` // share of the training file that becomes the test part if there is no test file
	SplitSeed uint64  `yaml:"split_seed" json:"split_seed,omitempty"`

	// Beside is no key: it is the folder of the file that names the data, a configuration or a
	// model, where they are looked for last. It is stored nowhere.
	Beside string `yaml:"-" json:"-"`

	// Plain is no key: it says that samples are read as a network takes them that another program trained, or that goes
	// back to one. The numbers of an array are features in the order in which they stand there, whatever its shape, and
	// where the network reads whole numbers, or bits, values are these as they stand.
	Plain bool `yaml:"-" json:"plain,omitempty"`

	// Classes is no key: it names the classes of a model that reads samples, which may have labels. It is stored nowhere.
	Classes *[]string `yaml:"-" json:"-"`

	// Memory is no key either: it holds the samples of the set memory, which no file has. It is stored nowhere.
	Memory *Samples `yaml:"-" json:"-"`
}

// Encoder is the binarisation of the features.
type Encoder struct {
	Kind       string `yaml:"kind" json:"kind"`                 // thermometer
	Bits       int    `yaml:"bits" json:"bits"`                 // n_b: bits-1 thresholds a feature
	Thresholds string `yaml:"thresholds" json:"thresholds"`     // uniform | quantile | learned
	BitsIn     int    `yaml:"bits_in" json:"bits_in,omitempty"` // width of a quantised CSV feature
	Ranges     string `yaml:"ranges" json:"ranges,omitempty"`   // robust | full | model
	Raw        bool   `yaml:"raw" json:"raw,omitempty"`         // whole numbers are compared as they are
}

// Model is the network.
type Model = topology.Keys

// Train is the optimisation.
type Train struct {
	Estimator   string     `yaml:"estimator" json:"estimator"`               // ste | soft | gumbel
	Temperature float64    `yaml:"temperature" json:"temperature,omitempty"` // of the choices of gumbel
	Gradients   string     `yaml:"gradients" json:"gradients,omitempty"`     // float32 | int8
	Candidates  Candidates `yaml:"candidates" json:"candidates,omitzero"`
	Augment     Augment    `yaml:"augment" json:"augment,omitzero"`
	Cost        Cost       `yaml:"cost" json:"cost,omitzero"`
	Removed                // keys that only models of earlier versions have
	Freeze      Freeze     `yaml:"freeze" json:"freeze,omitzero"`
	Optimizer   Optimizer  `yaml:"optimizer" json:"optimizer"`
	Epochs      int        `yaml:"epochs" json:"epochs"`
	Batch       int        `yaml:"batch" json:"batch"`
	Seed        uint64     `yaml:"seed" json:"seed"`
	Schedule    Schedule   `yaml:"schedule" json:"schedule"`
	Validation  Validation `yaml:"validation" json:"validation"`
	Checkpoint  Checkpoint `yaml:"checkpoint" json:"-"`
}

// Candidates says which candidates of pins give way to others during training. All but Kind are for random and
// gradient.
type Candidates struct {
	Kind    string  `yaml:"kind" json:"kind,omitempty"`       // fixed | random | gradient
	Every   int     `yaml:"every" json:"every,omitempty"`     // epochs from one replacement to the next
	Replace int     `yaml:"replace" json:"replace,omitempty"` // number of candidates of a pin that are replaced
	Until   float64 `yaml:"until" json:"until,omitempty"`     // the share of the epochs after which none is replaced
	Batches int     `yaml:"batches" json:"batches,omitempty"` // batches over which gradients are summed, for gradient
	Gap     float64 `yaml:"gap" json:"gap,omitempty"`         // how far the logit of a new candidate is below the largest
}

// Optimizer is Adam (Kingma and Ba, 2015).
type Optimizer struct {
	Kind  string  `yaml:"kind" json:"kind"`
	LR    float64 `yaml:"lr" json:"lr"`
	Beta1 float64 `yaml:"beta1" json:"beta1"`
	Beta2 float64 `yaml:"beta2" json:"beta2"`
	Eps   float64 `yaml:"eps" json:"eps"`

	// What each logit loses at a step, as a share of it times the learning rate (Loshchilov and Hutter, "Decoupled Weight
	// Decay Regularization", ICLR 2019).
	WeightDecay float64 `yaml:"weight_decay" json:"weight_decay,omitempty"`
}

// Schedule is the course of the learning rate. Final is for cosine alone, Every and
// Factor are for step.
type Schedule struct {
	Kind   string  `yaml:"kind" json:"kind"`               // constant | cosine | step
	Warmup float64 `yaml:"warmup" json:"warmup,omitempty"` // epochs over which the rate rises linearly; need not be a whole number
	Final  float64 `yaml:"final" json:"final,omitempty"`   // the end, as a share of the learning rate
	Every  int     `yaml:"every" json:"every,omitempty"`   // epochs from one fall to the next
	Factor float64 `yaml:"factor" json:"factor,omitempty"` // the learning rate is multiplied by it when it falls
}

// Validation holds a part of the training set out, to judge epochs by.
type Validation struct {
	Share    float64 `yaml:"share" json:"share"`
	Patience int     `yaml:"patience" json:"patience"`   // number of epochs without a gain after which the run ends; 0: it never does
	Keep     string  `yaml:"keep" json:"keep,omitempty"` // best | last: the epoch whose parameters the model gets
}

// Checkpoint says how often a run saves its state; it does not decide any trained
// byte and so is not stored in the model.
type Checkpoint struct {
	Minutes float64 `yaml:"minutes" json:"-"`
}
