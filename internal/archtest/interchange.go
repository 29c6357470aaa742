package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{Package: "interchange/difflogic/wiring", Imports: []string{"internal/jsonfault", "internal/plural"}},
	{Package: "interchange/facts"},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
}
