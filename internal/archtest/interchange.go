package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{
		Package: "interchange",
		Imports: []string{
			"interchange/facts", "interchange/graph", "trainer/config", "trainer/encoding", "trainer/model",
			"trainer/topology",
		},
		External: []string{math32},
	},
	{Package: "interchange/facts", Imports: []string{"internal/jsonfault"}, External: []string{yaml}},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
}
