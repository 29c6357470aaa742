package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{Package: "interchange/facts"},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
	{
		Package: "interchange/torchlogix",
		Imports: []string{"interchange/facts", "interchange/given", "interchange/graph", "interchange/torchfile"},
		Test:    []string{"internal/npytest"},
	},
}
