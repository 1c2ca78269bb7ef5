package diff

import "testing"

// calc.go has two hunks, 2-8 and 40-44 on the new side.
const calcDiff = `diff --git a/engine/calc.go b/engine/calc.go
index 1111111..2222222 100644
--- a/engine/calc.go
+++ b/engine/calc.go
@@ -2,6 +2,7 @@ package calc
 func Add(a, b int) int {
-	return a - b
+	sum := a + b
+	return sum
 }
 
 func Sub(a, b int) int {
 	return a - b
@@ -39,5 +40,4 @@ func Mul(a, b int) int {
 	total := 0
 	for range b {
-		total = total + a
-		log(total)
+		total += a
 	}
diff --git a/old.txt b/gone/new.txt
similarity index 100%
rename from old.txt
rename to gone/new.txt
diff --git a/dead.go b/dead.go
deleted file mode 100644
index 3333333..0000000
--- a/dead.go
+++ /dev/null
@@ -1,2 +0,0 @@
-package dead
-var x = 1
`

func TestLocate(t *testing.T) {
	set, err := Parse([]byte(calcDiff))
	if err != nil {
		t.Fatal(err)
	}
	const calc = "engine/calc.go"
	for _, c := range []struct {
		name  string
		claim Claim
		want  Place // Text and Fingerprint are not compared
	}{
		{"lines in a hunk", Claim{Path: calc, Start: 3, End: 4}, Place{How: Exact, Path: calc, Side: Right, Start: 3, End: 4}},
		{"quote at the lines", Claim{Path: calc, Start: 4, Quote: "return sum"}, Place{How: Exact, Path: calc, Side: Right, Start: 4, End: 4, QuoteFound: true}},
		{"quote elsewhere", Claim{Path: calc, Start: 30, Quote: "\t\ttotal += a"}, Place{How: Moved, Path: calc, Side: Right, Start: 42, End: 42, Hunk: 1, Shift: 12, QuoteFound: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := set.LocateIn(nil, c.claim)
			got.Text, got.Fingerprint = "", ""
			if got != c.want {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}
