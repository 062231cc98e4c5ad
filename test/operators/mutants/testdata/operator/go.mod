module example.com/attacked

go 1.24
