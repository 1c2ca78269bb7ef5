package secret

import (
	"encoding/base64"
	"strings"
	"testing"
)

// Values are put together here, so that this file holds no string that a
// scanner takes for a secret.
func alnum(n int) string {
	return strings.Repeat("a1B2c3D4e5", n/10+1)[:n]
}

func hex(n int) string { return strings.Repeat("0f1e2d3c4b", n/10+1)[:n] }

func upper(n int) string { return strings.Repeat("A2B3C4D5E6", n/10+1)[:n] }

func pem(kind, body string) string {
	return "-----BEGIN " + kind + "PRIVATE KEY-----\n" + body + "\n-----END " + kind + "PRIVATE KEY-----"
}

func TestFindKnowsTheShapesOfProviders(t *testing.T) {
	for _, c := range []struct{ id, text string }{
		{"github-token", "gh" + "p_" + alnum(36)},
		{"github-token", "gh" + "s_" + alnum(36)},
		{"github-pat", "github" + "_pat_" + alnum(22) + "_" + alnum(59)},
		{"gitlab-token", "glp" + "at-" + alnum(20)},
		{"anthropic-key", "sk-" + "ant-api03-" + alnum(93)},
		{"openrouter-key", "sk-" + "or-v1-" + hex(64)},
		{"openai-key", "sk-" + "proj-" + alnum(48)},
		{"sk-key", "sk-" + alnum(48)},
		{"groq-key", "gs" + "k_" + alnum(52)},
		{"xai-key", "xa" + "i-" + alnum(80)},
		{"huggingface-token", "h" + "f_" + strings.Repeat("aBcDe", 7)[:34]},
		{"aws-access-key", "AK" + "IA" + strings.Repeat("Q2", 8)},
		{"aws-secret-key", `aws_secret_access_key = "` + alnum(40) + `"`},
		{"google-api-key", "AI" + "za" + alnum(35)},
		{"google-oauth", "GOCS" + "PX-" + alnum(28)},
		{"slack-token", "xo" + "xb-" + alnum(40)},
		{"slack-webhook", "https://hooks." + "slack.com/services/T0/B0/" + alnum(24)},
		{"stripe-key", "sk_" + "live_" + alnum(24)},
		{"npm-token", "np" + "m_" + alnum(36)},
		{"pypi-token", "pypi" + "-AgE" + alnum(90)},
		{"sendgrid-key", "S" + "G." + alnum(22) + "." + alnum(43)},
		{"twilio-key", "S" + "K" + hex(32)},
		{"telegram-token", "123456789" + ":AA" + alnum(33)},
		{"digitalocean-token", "dop" + "_v1_" + hex(64)},
		{"shopify-token", "shp" + "at_" + hex(32)},
		{"age-key", "AGE-SECRET" + "-KEY-1" + upper(58)},
		{"jwt", "ey" + "J" + alnum(20) + ".ey" + "J" + alnum(40) + "." + alnum(43)},
		{"private-key", pem("", alnum(64)+"\n"+alnum(10))},
		{"private-key", pem("RSA ", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"+alnum(64))},
		{"private-key", pem("OPENSSH ", alnum(70))},
		{"private-key", strings.ReplaceAll(pem("EC ", alnum(64)), "\n", `\n`)},
		{"private-key", "-----BEGIN " + "PRIVATE KEY-----"},
	} {
		for _, around := range []string{"%", "key: %", "`%`.", `"%",`, "(%)"} {
			text := strings.Replace(around, "%", c.text, 1)
			found := Find(text)
			if len(found) != 1 || found[0].Pattern.ID != c.id {
				t.Errorf("Find(%q) = %v, want one %s", text, found, c.id)
			}
			masked := Mask(text)
			if len(Find(masked)) != 0 || strings.Contains(masked, alnum(10)) || strings.Contains(masked, hex(16)) {
				t.Errorf("Mask(%q) still holds it: %q", text, masked)
			}
			if !strings.HasPrefix(around, "%") && masked[0] != text[0] {
				t.Errorf("Mask(%q) touched what stands before: %q", text, masked)
			}
		}
	}
}

func TestFindLeavesOrdinaryTextAlone(t *testing.T) {
	for _, text := range []string{
		"", "a ghp_ prefix", "ghp_...", "sk-learn and sk-short", "the sk-overlay-container-with-long-class-name",
		"commit 3f786850e387550fdab836ed7e6dc881de23001b", "sha256:" + hex(64),
		"-----BEGIN CERTIFICATE-----\n" + alnum(64), "-----BEGIN PUBLIC KEY-----", "AKIA is the prefix",
		"npm_config_registry", "hf_hub_download", "SKU12345", "eyJ is how a token begins", "xoxb-",
		"the private key is missing", "import org.example.TokenMaskingFilterFactoryBean",
	} {
		if found := Find(text); len(found) != 0 {
			t.Errorf("Find(%q) = %v, want none", text, found)
		}
		if got := Mask(text); got != text {
			t.Errorf("Mask(%q) = %q", text, got)
		}
	}
}

func TestMaskKeepsAHint(t *testing.T) {
	token := "gh" + "p_" + alnum(34) + "3f"
	if got, want := Mask("token "+token+" end"), "token ghp_…3f end"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	two := token + " " + "np" + "m_" + alnum(36)
	if got, want := Mask(two), "ghp_…3f npm_…"+alnum(36)[34:]; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	key := pem("RSA ", alnum(64))
	if got, want := Mask("x "+key+" y"), "x -----BEGIN RSA PRIVATE KEY… y"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestContainsFindsAKnownValueHoweverItIsWritten(t *testing.T) {
	const known = "s3rver/p@ss word+1"
	b64 := base64.StdEncoding.EncodeToString([]byte(known))
	for text, want := range map[string]bool{
		"it is s3rver/p@ss word+1 indeed": true,
		"?p=s3rver%2Fp%40ss+word%2B1":     true,
		"Basic " + b64:                    true,
		"nothing here":                    false,
		"s3rver":                          false,
		"":                                false,
		base64.StdEncoding.EncodeToString([]byte(known + " x")):           true,
		base64.URLEncoding.EncodeToString([]byte(known + "trailer")):      true,
		"auth: " + base64.StdEncoding.EncodeToString([]byte("me:"+known)): true,
		"data" + b64[:8] + "\n> " + b64[8:]:                               true,
		`"s3rver/p" + "@ss word+1"`:                                       true,
		"+ s3rver/p\n+ @ss word+1":                                        true,
	} {
		if got := Contains(text, "unrelated-value", known); got != want {
			t.Errorf("Contains(%q) = %v, want %v", text, got, want)
		}
	}
	const odd = "~~~???>>>" // in base64 its two alphabets differ
	for _, text := range []string{base64.StdEncoding.EncodeToString([]byte(odd)), base64.URLEncoding.EncodeToString([]byte(odd))} {
		if !Contains(text, odd) {
			t.Errorf("Contains(%q, %q) = false", text, odd)
		}
	}
	if Contains("any text with a and empty", "", "a", " text ") {
		t.Error("values too short to be secrets were looked for")
	}
}

func TestPatternsAreUniqueAndNamed(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range Patterns() {
		if p.ID == "" || p.Name == "" || seen[p.ID] {
			t.Errorf("%q (%q) is unnamed or doubled", p.ID, p.Name)
		}
		seen[p.ID] = true
		if n := p.Expr.NumSubexp(); n != 1 && n != 2 {
			t.Errorf("%s: %d groups, want the hint, and the secret where it ends before the match", p.ID, n)
		}
	}
}

func FuzzMask(f *testing.F) {
	f.Add("token gh" + "p_" + alnum(36) + " and " + pem("RSA ", alnum(64)))
	f.Add("aws_secret_access_key=" + alnum(40) + "sk-" + alnum(40))
	f.Add("-----BEGIN " + "PRIVATE KEY----------BEGIN " + "PRIVATE KEY-----")
	f.Fuzz(func(t *testing.T, text string) {
		once := Mask(text)
		if found := Find(once); len(found) != 0 {
			t.Fatalf("Mask(%q) = %q still holds a %s", text, once, found[0].Pattern.ID)
		}
		if twice := Mask(once); twice != once {
			t.Fatalf("not stable: %q, then %q", once, twice)
		}
	})
}
