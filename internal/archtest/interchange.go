package archtest

// interchange are the rules of the readers and writers of other frameworks' networks.
var interchange = []Rule{
	{Package: "interchange/facts", Imports: []string{"internal/jsonfault"}, External: []string{yaml}},
	{Package: "interchange/given", Imports: []string{"interchange/facts"}},
	{Package: "interchange/graph"},
}
