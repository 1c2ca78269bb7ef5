package secret

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// random64 is n characters of base64 in no order.
func random64(n int) string {
	return strings.Repeat("kQ7xZ2mV9bT4nR8wL1cY6pH3sJ5fD0gKaE+uI/oM", n/40+1)[:n]
}

// formats are values in the form in which their providers give them out, made
// up here. part is what must not be seen after masking.
var formats = []struct{ id, text, part string }{
	{"gitlab-token", "glp" + "at-" + alnum(27) + ".01.0w1" + alnum(6), alnum(9)},
	{"gitlab-runner", "GR134" + "8941" + alnum(20), alnum(9)},
	{"atlassian-token", "ATAT" + "T3" + alnum(186) + "=1A2B3C4D", alnum(9)},
	{"rubygems-key", "rubygems" + "_" + hex(48), hex(9)},
	{"crates-token", "ci" + "o" + alnum(32), alnum(9)},
	{"docker-token", "dckr" + "_pat_" + alnum(27), alnum(9)},
	{"sk-key", "csk" + "-" + alnum(48), alnum(9)},
	{"perplexity-key", "ppl" + "x-" + alnum(48), alnum(9)},
	{"replicate-token", "r" + "8_" + alnum(37), alnum(9)},
	{"aws-session-token", "AWS_SESSION_TOKEN=" + random64(356), random64(9)},
	{"google-oauth", "ya" + "29.c.b0A" + alnum(200), alnum(9)},
	{"google-oauth", `"refresh_token": "1/` + `/0e` + alnum(60), alnum(9)},
	{"azure-secret", "abC8" + "Q~" + alnum(34), alnum(9)},
	{"azure-devops-token", alnum(76) + "AZ" + "DOaB1c", alnum(9)},
	{"azure-key", alnum(52) + "JQQ" + "J99" + alnum(26), alnum(9)},
	{"azure-account-key", "DefaultEndpointsProtocol=https;AccountName=shop;Account" + "Key=" + random64(86) + "==", random64(9)},
	{"azure-account-key", "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=all;SharedAccess" + "Key=" + random64(43) + "=", random64(9)},
	{"azure-sas", "https://shop.blob.core.windows.net/x?sv=2024-11-04&se=2027&si" + "g=" + url.QueryEscape(random64(43)+"="), random64(9)},
	{"alibaba-key", "LT" + "AI" + alnum(20), alnum(9)},
	{"databricks-token", "da" + "pi" + hex(32), hex(9)},
	{"vault-token", "hv" + "s." + alnum(90), alnum(9)},
	{"terraform-token", alnum(14) + ".atlas" + "v1." + alnum(67), alnum(30)[14:]},
	{"supabase-key", "sb" + "p_" + hex(40), hex(9)},
	{"tailscale-key", "tskey" + "-auth-" + alnum(16) + "CNTRL-" + alnum(32), alnum(9)},
	{"slack-token", "xo" + "xe.xox" + "p-1-" + alnum(120), alnum(9)},
	{"slack-token", "xap" + "p-1-A0" + alnum(9) + "-" + alnum(70), alnum(9)},
	{"discord-token", "M" + alnum(25) + ".Ga" + "Bc_D." + alnum(38), alnum(38)[5:]},
	{"discord-webhook", "https://discord.com/api/web" + "hooks/123456789012345678/" + alnum(68), alnum(9)},
	{"stripe-key", "rk_" + "test_" + alnum(99), alnum(9)},
	{"stripe-key", "whse" + "c_" + alnum(32), alnum(9)},
	{"mailgun-key", "ke" + "y-" + hex(32), hex(9)},
	{"linear-key", "lin" + "_api_" + alnum(40), alnum(9)},
	{"notion-token", "nt" + "n_12345678901" + alnum(35), alnum(9)},
	{"figma-token", "fig" + "d_" + alnum(40), alnum(9)},
	{"postman-key", "PMA" + "K-" + hex(24) + "-" + hex(34), hex(9)},
	{"grafana-token", "gl" + "sa_" + alnum(32) + "_0f1e2d3c", alnum(9)},
	{"sentry-token", "sntry" + "s_" + alnum(180), alnum(9)},
	{"newrelic-key", "NRA" + "K-" + upper(27), upper(9)},
	{"doppler-token", "dp" + ".st.prd." + alnum(43), alnum(9)},
	{"age-key", "AGE-SECRET" + "-KEY-PQ-1" + upper(58), upper(9)},
	{"putty-key", "PuTTY-User-Key-File-3: ssh-ed25519\nPrivate-" + "Lines: 1\n" + random64(48) + "\nPrivate-MAC: 00", random64(9)},
	{"url-password", "DATABASE_URL=postgres://shop:" + "kQ7xZ2mV9" + "@db.internal:5432/shop?sslmode=require", "kQ7xZ2"},
	{"url-password", "mongodb+srv://shop:" + "kQ7%2FxZ2" + "@c0.mongodb.net", "kQ7%2F"},
	{"url-password", "redis://:" + "kQ7xZ2mV9" + "@cache:6379/0", "kQ7xZ2"},
	{"url-password", "git clone https://robot:" + "kQ7xZ2mV9" + "@git.example.org/x.git", "kQ7xZ2"},
	{"netrc-password", "machine git.example.org login robot password " + "kQ7xZ2mV9", "kQ7xZ2"},
	{"netrc-password", "machine git.example.org\n  login robot\n  password " + "kQ7xZ2mV9", "kQ7xZ2"},
	{"npmrc-auth", "//npm.example.org/:_auth" + "Token=01234567-89ab-cdef-0123-456789abcdef", "89ab"},
	{"docker-auth", `{"auths":{"ghcr.io":{"au` + `th": "` + base64.StdEncoding.EncodeToString([]byte("robot:kQ7xZ2mV9")) + `"}}}`, "a1E3"},
	{"authorization", `curl -H "Authorization: Bear` + `er ` + alnum(43) + `" https://api.example.org`, alnum(9)},
	{"authorization", `req.Header.Set("Authorization", "Bas` + `ic ` + base64.StdEncoding.EncodeToString([]byte("robot:kQ7xZ2mV9bT4")) + `")`, "a1E3"},
}

func TestFormatsOfProviders(t *testing.T) {
	for _, c := range formats {
		for _, around := range []string{"%", "- `%`", "+\tx := \"%\"", "before % after", "(%)", "see\n\n    %\n"} {
			if strings.Contains(c.text, `"`) && strings.Contains(around, `"`) {
				continue
			}
			text := strings.Replace(around, "%", c.text, 1)
			found := Find(text)
			if len(found) == 0 || found[0].Pattern.ID != c.id {
				t.Errorf("Find(%q) = %v, want %s", text, found, c.id)
			}
			if masked := Mask(text); strings.Contains(masked, c.part) {
				t.Errorf("Mask(%q) = %q still holds %q", text, masked, c.part)
			}
		}
	}
}

// TestHoweverItIsWritten: a token is a token in base64, in a URL, cut over
// string literals or lines, and in the marks of a diff or a quotation.
func TestHoweverItIsWritten(t *testing.T) {
	a, b := "gh"+"p_"+alnum(16), alnum(36)[16:]
	token := a + b
	key := pem("RSA ", random64(64)+"\n"+random64(64))
	b64 := base64.StdEncoding.EncodeToString
	wrapped := func(s string) string {
		var lines []string
		for ; len(s) > 76; s = s[76:] {
			lines = append(lines, s[:76])
		}
		return strings.Join(append(lines, s), "\n")
	}
	for name, c := range map[string]struct{ text, gone string }{
		"base64":              {"token: " + b64([]byte(token)) + " end", b64([]byte(token))[8:40]},
		"base64, later":       {"auth=" + b64([]byte("robot:"+token)), b64([]byte("robot:" + token))[16:]},
		"base64, of a URL":    {"x=" + base64.RawURLEncoding.EncodeToString([]byte("?>?"+token)), b64([]byte(token))[8:]},
		"a kubeconfig":        {"    client-key-data: " + b64([]byte(key)) + "\n    more", b64([]byte(key))[60:80]},
		"wrapped base64":      {"data:\n" + wrapped(b64([]byte(key))) + "\nend", b64([]byte(key))[100:120]},
		"percent":             {"?q=" + url.QueryEscape("postgres "+token) + "&r=1", b},
		"percent, letters":    {"?q=" + strings.Replace(token, "_", "%5F", 1) + "&r=1", b},
		"percent, a key":      {"?k=" + url.QueryEscape(key), random64(40)},
		"two literals":        {`x := "` + a + `" + "` + b + `"`, b},
		"literals and lines":  {"x = '" + a + "' +\n\t'" + b + "'", b},
		"literals of Python":  {"x = ('" + a + "'\n     '" + b + "')", b},
		"literals in a diff":  {"+\tx = \"" + a + "\" +\n+\t\t\"" + b + "\"", b},
		"literals of PHP":     {"$x = '" + a + "' . '" + b + "';", b},
		"a shell's line":      {"x=" + a + "\\\n" + b, b},
		"wrapped":             {"use " + a + "\n" + b + "\nwith care", b},
		"wrapped, in a quote": {"> use " + a + "\n> " + b + "\n> with care", b},
		"in a path":           {"secrets/" + token + ".txt", b},
		"in a subject":        {"Subject: [PATCH] use " + token, b},
	} {
		got := Mask(c.text)
		if strings.Contains(got, c.gone) {
			t.Errorf("%s: Mask(%q) = %q still holds %q", name, c.text, got, c.gone)
		}
		if len(Find(c.text)) == 0 || len(Find(got)) != 0 {
			t.Errorf("%s: found %v before and %v after", name, Find(c.text), Find(got))
		}
	}
	if got, want := Mask("use "+token+"\nThe next line, and more"), "use ghp_…"+token[38:]+"\nThe next line, and more"; got != want {
		t.Errorf("a whole token took the next line with it: %q", got)
	}
	if got := Mask("use " + a + "\n" + b + "\nThe next line"); !strings.HasSuffix(got, "\nThe next line") {
		t.Errorf("a cut token took the next line with it: %q", got)
	}
}

// TestWhatIsNoSecret: what code, lock files and documentation are full of.
func TestWhatIsNoSecret(t *testing.T) {
	integrity := base64.StdEncoding.EncodeToString([]byte(random64(64)))
	for _, text := range []string{
		"550e8400-e29b-41d4-a716-446655440000",
		"commit " + hex(40) + "\nMerge: " + hex(10) + " " + hex(12),
		"index " + hex(40) + ".." + hex(40) + " 100644",
		hex(64) + "  mrv_linux_amd64.tar.gz",
		`"integrity": "sha512-` + integrity + `",`,
		"github.com/x/y v1.2.3 h1:" + random64(43) + "=",
		"checksum = \"" + hex(64) + "\"",
		"    --hash=sha256:" + hex(64) + " \\\n    --hash=sha256:" + hex(64),
		"resolved \"https://registry.npmjs.org/a/-/a-1.0.0.tgz#" + hex(40) + "\"",
		"image: ghcr.io/acme/shop@sha256:" + hex(64),
		"uses: actions/checkout@" + hex(40) + " # v4",
		"postgres://user:password@localhost/db", "postgres://postgres:postgres@db", "mysql://root:root@db",
		"https://${USER}:${PASSWORD}@host", "https://<user>:<token>@host", "amqp://guest:guest@mq", "redis://:$PASS@cache",
		"https://x-access-token:${{ secrets.TOKEN }}@github.com/x/y", "http://[::1]:8080/a@b", "ssh://git@host:22/x@y", "https://a.example:443",
		"https://user:...@host", "https://user:xxxx@host", "https://alice:alice@host", "see https://x.example: mail a@example.org",
		"machine example.org login me password your-password",
		"_authToken=${NPM_TOKEN}", "Authorization: Bearer <token>", "Authorization: Bearer ${TOKEN}", `"Authorization", "Bearer "+token`,
		"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAFCAYAAACNbyblAAAAHElEQVQI12P4//8/w38GIAXDIBKE0DHxgljNBAAO9TXL0Y4OHwAAAABJRU5ErkJggg==",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + alnum(43) + " me@host",
		"certificate-authority-data: " + base64.StdEncoding.EncodeToString([]byte("-----BEGIN CERTIFICATE-----\n"+random64(64))),
		"TestTheSecretKeyOfAccountIsNotLoggedAnywhereInTheOutput", "var SharedAccessKey = config.Get(\"SharedAccessKey\")",
		"a key-value-store-with-a-long-name", "secret_manager_version_resource_name_for_the_test", "the SK of a class",
	} {
		if got := Mask(text); got != text {
			t.Errorf("Mask(%q) = %q", text, got)
		}
	}
}

// TestFormatsInBulk: what stands around a secret survives it.
func TestFormatsInBulk(t *testing.T) {
	var b strings.Builder
	for i, c := range formats {
		fmt.Fprintf(&b, "line %d before\n%s\nline %d after\n", i, c.text, i)
	}
	got := Mask(b.String())
	for i, c := range formats {
		for _, want := range []string{fmt.Sprintf("line %d before\n", i), fmt.Sprintf("\nline %d after\n", i)} {
			if !strings.Contains(got, want) {
				t.Errorf("masking took %q, beside %s, with it", want, c.id)
			}
		}
	}
}
