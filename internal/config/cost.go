package config

import (
	"ialgn/internal/message"
	"ialgn/internal/target"
)

// Cost is a penalty in the loss. It is proportional to the number of look-up tables that the network's inputs need in
// hardware.
type Cost struct {
	Target   string  `yaml:"target" json:"target,omitempty"`     // device family whose look-up tables are counted
	Pressure float64 `yaml:"pressure" json:"pressure,omitempty"` // addition to the loss for each look-up table
}

// Active reports whether there is a penalty.
func (c Cost) Active() bool { return c.Pressure != 0 }

// LUTInputs returns the number of inputs of the target's look-up tables. It panics if the configuration is invalid.
func (c Cost) LUTInputs() int {
	family, err := target.Find(c.Target)
	if err != nil {
		panic("config: " + err.Error())
	}
	return family.MappedLUT()
}

// checkCost returns an error for a penalty without a target or with an estimator that ignores the penalty. It also
// returns an error for a target without a penalty.
func (c *Config) checkCost() error {
	switch t := &c.Train; {
	case t.Cost.Target == "" && t.Cost.Pressure == 0:
		return nil
	case t.Cost.Pressure == 0:
		return c.wrong("train.cost.target", "omit it, or give train.cost.pressure, such as 0.0001",
			"it has no effect without train.cost.pressure")
	case t.Cost.Target == "":
		return c.wrong("train.cost.pressure", "give train.cost.target: "+oneOf(target.Names()),
			"the target whose look-up tables are counted is missing")
	case t.Estimator == "soft":
		return c.wrong("train.cost.pressure", "omit it, or use train.estimator: ste or gumbel",
			"the estimator soft ignores it")
	}
	family, err := target.Find(c.Train.Cost.Target)
	if err != nil {
		return message.Near(c.wrong("train.cost.target", "use "+oneOf(target.Names()), "%.40q is unknown",
			c.Train.Cost.Target),
			c.Train.Cost.Target, target.Names())
	}
	if family.LUT.Most < 2 {
		return c.wrong("train.cost.target", "use another", "its look-up tables have only one input, too few for a comparison")
	}
	return nil
}
