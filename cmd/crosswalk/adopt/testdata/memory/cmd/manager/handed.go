package main

import v1 "example.com/memory/v1"

// handed changes memory that functions hand to each other.
func handed() {
	v1.SetOpened("x")
	v1.SetLifted("x")
	v1.SetDeep("x")
	v1.SetShelved("x")
	v1.SetCaptured("x")
	v1.SetEmptied("x")
	v1.SetChosen("x")
	v1.SetAimed("x")
	v1.SetWhole("x")
	if err := v1.SetDecoded(`{"Prefix": "x"}`); err != nil {
		panic(err)
	}
	v1.SetSpread("x")
	v1.SetLiteral("x")
	v1.SetAnswered("x")
	v1.SetUntyped("x")
	v1.Index()
	v1.SetIndexed("x")
	v1.Use()
	v1.SetInstalled("x")
	v1.SetApplied("x")
	v1.SetProvided("x")

	// These change other memory.
	v1.NewBag().Names["a"] = "x"
	var sack v1.Sack
	v1.FillBag(&sack)
	sack.Change("x")
	v1.SetPaired("x")
}
