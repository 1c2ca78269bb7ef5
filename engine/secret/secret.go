// Package secret knows what private keys and provider tokens look like. It
// finds them in text, masks them, and tells whether a text holds a value that
// must never leave. It never learns a secret: the values it compares with are
// handed in, and nothing is kept.
package secret

import (
	"encoding/base64"
	"net/url"
	"regexp"
	"sort"
	"strings"
)

// Pattern is one shape of a secret.
type Pattern struct {
	ID   string // short and stable: "github-token"
	Name string // in plain words: "GitHub token"
	// Expr is the RE2 expression. Its first group is the part that may be
	// shown as a hint of what was masked.
	Expr *regexp.Regexp
	// sign is what every match holds: looking for it first is many times
	// faster. "" where there is no such string.
	sign string
}

// Match is one secret in a text, by byte offsets.
type Match struct {
	Pattern    Pattern
	Start, End int
	// Hint is the end, in bytes of the text, of the part that may be shown.
	Hint int
}

// table is the one list of shapes. The prefixes are those the providers
// document for secret scanning; lengths are the shortest in use, so that an
// example such as "ghp_..." in prose is no match.
var table = []Pattern{
	// The key's text goes with the header: base64 lines, which may stand
	// behind quotes, comment signs or an escaped newline, and PEM headers.
	shape("private-key", "PRIVATE KEY-----", "private key", `(-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY)(?: BLOCK)?-----`+
		`(?:`+between+`*(?:[A-Za-z0-9+/=]{16,}|(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]*))*`+
		`(?:`+between+`*[A-Za-z0-9+/=]*`+between+`*-----END [A-Z0-9 ]{0,40}-----)?`),
	shape("github-token", "gh", "GitHub token", `\b(gh[pousr]_)[A-Za-z0-9]{36,}`),
	shape("github-pat", "github_pat_", "GitHub fine-grained token", `\b(github_pat_)[A-Za-z0-9_]{40,}`),
	shape("gitlab-token", "gl", "GitLab token", `\b(gl(?:pat|dt|rt|ptt|cbt|soat|ft)-)[A-Za-z0-9_-]{20,}`),
	shape("anthropic-key", "sk-ant-", "Anthropic key", `\b(sk-ant-)[A-Za-z0-9_-]{32,}`),
	shape("openrouter-key", "sk-or-", "OpenRouter key", `\b(sk-or-(?:v1-)?)[A-Za-z0-9]{32,}`),
	shape("openai-key", "sk-", "OpenAI key", `\b(sk-(?:proj|svcacct|admin)-)[A-Za-z0-9_-]{32,}`),
	shape("sk-key", "sk-", "provider key (sk-)", `\b(sk-)[A-Za-z0-9]{32,}`),
	shape("groq-key", "gsk_", "Groq key", `\b(gsk_)[A-Za-z0-9]{48,}`),
	shape("xai-key", "xai-", "xAI key", `\b(xai-)[A-Za-z0-9]{64,}`),
	shape("huggingface-token", "hf_", "Hugging Face token", `\b(hf_)[A-Za-z]{34}`),
	shape("aws-access-key", "A", "AWS access key id", `\b((?:AKIA|ASIA|ABIA|ACCA))[A-Z2-7]{16}\b`),
	shape("aws-secret-key", "", "AWS secret key", `(?i)\b(aws_?secret_?(?:access_?)?key["']?\s{0,4}(?:[:=]|=>|:=)\s{0,4}["']?)[A-Za-z0-9/+]{40}`),
	shape("google-api-key", "AIza", "Google API key", `\b(AIza)[A-Za-z0-9_-]{35}`),
	shape("google-oauth", "", "Google OAuth secret", `\b(GOCSPX-|ya29\.)[A-Za-z0-9_-]{24,}`),
	shape("slack-token", "x", "Slack token", `\b(xox[abeoprs]-|xapp-)[A-Za-z0-9-]{20,}`),
	shape("slack-webhook", "hooks.slack.com/", "Slack webhook", `\b(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/]{20,}`),
	shape("stripe-key", "", "Stripe key", `\b((?:sk|rk)_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}`),
	shape("npm-token", "npm_", "npm token", `\b(npm_)[A-Za-z0-9]{36}`),
	shape("pypi-token", "pypi-AgE", "PyPI token", `\b(pypi-AgE)[A-Za-z0-9_-]{50,}`),
	shape("sendgrid-key", "SG.", "SendGrid key", `\b(SG\.)[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}`),
	shape("twilio-key", "SK", "Twilio key", `\b(SK)[0-9a-f]{32}\b`),
	shape("telegram-token", ":AA", "Telegram bot token", `\b([0-9]{8,10}:AA)[A-Za-z0-9_-]{33}`),
	shape("digitalocean-token", "_v1_", "DigitalOcean token", `\b(do[opr]_v1_)[0-9a-f]{64}`),
	shape("shopify-token", "shp", "Shopify token", `\b(shp(?:at|ca|pa|ss)_)[0-9a-fA-F]{32}`),
	shape("age-key", "AGE-SECRET-KEY-1", "age key", `\b(AGE-SECRET-KEY-1)[0-9A-Z]{50,64}`),
	shape("jwt", ".eyJ", "JSON web token", `\b(eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}`),
}

// between is what may stand between two lines of a key.
const between = `(?:\s|\\[nr]|["'+>#*|,])`

func shape(id, sign, name, expr string) Pattern {
	return Pattern{ID: id, Name: name, Expr: regexp.MustCompile(expr), sign: sign}
}

// Patterns lists the shapes, in the order in which they are tried.
func Patterns() []Pattern { return append([]Pattern(nil), table...) }

// Find lists the secrets in a text, in order and without overlaps. Where two
// shapes claim the same bytes, they are one match: of the shape that starts
// first, then of the longer one, to the end of both.
func Find(text string) []Match {
	var all []Match
	for _, p := range table {
		if !strings.Contains(text, p.sign) {
			continue
		}
		for _, m := range p.Expr.FindAllStringSubmatchIndex(text, -1) {
			all = append(all, Match{Pattern: p, Start: m[0], End: m[1], Hint: m[3]})
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].Start != all[j].Start {
			return all[i].Start < all[j].Start
		}
		return all[i].End > all[j].End
	})
	out := all[:0]
	for _, m := range all {
		if n := len(out); n > 0 && m.Start < out[n-1].End {
			out[n-1].End = max(out[n-1].End, m.End)
			continue
		}
		out = append(out, m)
	}
	return out
}

// Mask replaces every secret in a text by a hint of it, such as "ghp_…3f":
// enough to find it, not enough to use it. A masked text has no secret left.
func Mask(text string) string {
	found := Find(text)
	if len(found) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, m := range found {
		b.WriteString(text[at:m.Hint])
		b.WriteString("…")
		// Two characters tell one key from another; a key's header tells enough.
		if m.Pattern.ID != "private-key" && m.End-m.Hint > 8 {
			b.WriteString(text[m.End-2 : m.End])
		}
		at = m.End
	}
	b.WriteString(text[at:])
	// What is left of one secret can be the beginning of another. Each round
	// is shorter than the one before, so this ends.
	return Mask(b.String())
}

// shortest is the length below which a known value is too common a string to
// be looked for.
const shortest = 6

// Contains reports whether a text holds one of the known values (tokens, keys,
// a server's password), as it is, as part of a URL, or in base64.
func Contains(text string, known ...string) bool {
	for _, v := range known {
		v = strings.TrimSpace(v)
		if len(v) < shortest {
			continue
		}
		for _, form := range forms(v) {
			if strings.Contains(text, form) {
				return true
			}
		}
	}
	return false
}

// forms lists how a value may be written. Base64 is cut to whole groups of
// three bytes, so that padding and what follows do not matter.
func forms(v string) []string {
	whole := v[:len(v)/3*3]
	return []string{
		v, url.QueryEscape(v), url.PathEscape(v),
		base64.StdEncoding.EncodeToString([]byte(whole)), base64.URLEncoding.EncodeToString([]byte(whole)),
	}
}
