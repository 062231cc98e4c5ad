module example.com/converters

go 1.24
