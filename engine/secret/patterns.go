package secret

import (
	"regexp"
	"slices"
	"strings"
)

// Pattern is one shape of a secret.
type Pattern struct {
	ID   string // short and stable: "github-token"
	Name string // in plain words: "GitHub token"
	// Expr is the RE2 expression. Its first group is the part that may be
	// shown as a hint of what was masked; the second, if there is one, ends
	// where the secret ends.
	Expr *regexp.Regexp
	// signs are strings of which every match holds one: looking for them first
	// is many times faster.
	signs []string
	// named is set where not the value tells that it is a secret but what
	// stands before it: such a value may be a placeholder, and is not looked
	// for in what is only decoded or joined.
	named bool
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
	shape("putty-key", "Private-Lines: ", "PuTTY private key", `(Private-Lines: [0-9]+)(?:`+between+`*[A-Za-z0-9+/=]{16,})+`),
	shape("age-key", "AGE-SECRET-KEY-", "age key", `\b(AGE-SECRET-KEY-(?:PQ-)?1)[0-9A-Z]{50,64}`),

	// Forges and registries.
	shape("github-token", "ghp_|gho_|ghu_|ghs_|ghr_", "GitHub token", `\b(gh[pousr]_)[A-Za-z0-9]{36,}`),
	shape("github-pat", "github_pat_", "GitHub fine-grained token", `\b(github_pat_)[A-Za-z0-9_]{40,}`),
	shape("gitlab-token", "glpat-|gldt-|glrt-|glrtr-|glptt-|glcbt-|glsoat-|glft-|glagent-|glimt-|gloas-|glffct-|glwt-", "GitLab token", `\b(gl(?:pat|dt|rt|rtr|ptt|cbt|soat|ft|agent|imt|oas|ffct|wt)-)[A-Za-z0-9_-]{20,}(?:\.[0-9a-z]{2}\.[0-9a-z]{7,9})?`),
	shape("gitlab-runner", "GR1348941", "GitLab runner token", `\b(GR1348941)[A-Za-z0-9_-]{20}`),
	shape("atlassian-token", "ATATT3|ATCTT3|ATBB", "Atlassian token", `\b(AT(?:ATT3|CTT3|BB))[A-Za-z0-9_=-]{28,}`),
	shape("npm-token", "npm_", "npm token", `\b(npm_)[A-Za-z0-9]{36}`),
	shape("pypi-token", "pypi-AgE", "PyPI token", `\b(pypi-AgE)[A-Za-z0-9_-]{50,}`),
	shape("rubygems-key", "rubygems_", "RubyGems key", `\b(rubygems_)[0-9a-f]{48}`),
	shape("crates-token", "cio", "crates.io token", `\b(cio)[A-Za-z0-9]{32}\b`),
	shape("docker-token", "dckr_", "Docker Hub token", `\b(dckr_(?:pat|oat)_)[A-Za-z0-9_-]{20,}`),

	// Providers of models.
	shape("anthropic-key", "sk-ant-", "Anthropic key", `\b(sk-ant-)[A-Za-z0-9_-]{32,}`),
	shape("openrouter-key", "sk-or-", "OpenRouter key", `\b(sk-or-(?:v1-)?)[A-Za-z0-9]{32,}`),
	shape("openai-key", "sk-", "OpenAI key", `\b(sk-(?:proj|svcacct|admin|None)-)[A-Za-z0-9_-]{32,}`),
	shape("sk-key", "sk-", "provider key (sk-)", `\b(c?sk-)[A-Za-z0-9]{32,}`),
	shape("groq-key", "gsk_", "Groq key", `\b(gsk_)[A-Za-z0-9]{48,}`),
	shape("xai-key", "xai-", "xAI key", `\b(xai-)[A-Za-z0-9]{64,}`),
	shape("perplexity-key", "pplx-", "Perplexity key", `\b(pplx-)[A-Za-z0-9]{40,}`),
	shape("replicate-token", "r8_", "Replicate token", `\b(r8_)[A-Za-z0-9]{37}`),
	shape("huggingface-token", "hf_", "Hugging Face token", `\b(hf_)[A-Za-z]{34}`),

	// Clouds.
	shape("aws-access-key", "AKIA|ASIA|ABIA|ACCA", "AWS access key id", `\b((?:AKIA|ASIA|ABIA|ACCA))[A-Z2-7]{16}\b`),
	shape("aws-secret-key", "aws|AWS|Aws", "AWS secret key", `(?i)\b(aws_?secret_?(?:access_?)?key["']?\s{0,4}(?:[:=]|=>|:=)\s{0,4}["']?)[A-Za-z0-9/+]{40}`),
	shape("aws-session-token", "aws|AWS|Aws", "AWS session token", `(?i)\b(aws_?session_?token["']?\s{0,4}(?:[:=]|=>|:=)\s{0,4}["']?)[A-Za-z0-9/+=]{100,}`),
	shape("google-api-key", "AIza", "Google API key", `\b(AIza)[A-Za-z0-9_-]{35}`),
	shape("google-oauth", "GOCSPX-|ya29.|1//0", "Google OAuth secret", `\b(GOCSPX-|ya29\.(?:[a-z]\.)?|1//0)[A-Za-z0-9_-]{24,}`),
	shape("azure-secret", "Q~", "Azure client secret", `\b([A-Za-z0-9_~.-]{3}[0-9]Q~)[A-Za-z0-9_~.-]{31,34}`),
	shape("azure-devops-token", "AZDO", "Azure DevOps token", `\b()[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}\b`),
	shape("azure-key", "JQQJ9", "Azure key", `\b()[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{26}\b`),
	shape("azure-account-key", "Key=", "Azure account key", `(\b(?:Account|SharedAccess)Key=)[A-Za-z0-9/+]{40,86}={0,2}`),
	shape("azure-sas", "sig=", "Azure signature", `(\bsig=)[A-Za-z0-9/+]{8,}(?:%[0-9A-Fa-f]{2}[A-Za-z0-9/+]*)*(?:%3[Dd]|=)`),
	shape("alibaba-key", "LTAI", "Alibaba Cloud key id", `\b(LTAI)[A-Za-z0-9]{20}\b`),
	shape("tencent-key", "AKID", "Tencent Cloud key id", `\b(AKID)[A-Za-z0-9]{32}\b`),
	shape("digitalocean-token", "_v1_", "DigitalOcean token", `\b(do[opr]_v1_)[0-9a-f]{64}`),
	shape("databricks-token", "dapi", "Databricks token", `\b(dapi)[0-9a-f]{32}\b`),
	shape("vault-token", "hvs.|hvb.|hvr.", "Vault token", `\b(hv[sbr]\.)[A-Za-z0-9_-]{24,}`),
	shape("terraform-token", ".atlasv1.", "Terraform token", `\b([A-Za-z0-9]{14}\.atlasv1\.)[A-Za-z0-9_=-]{60,}`),
	shape("supabase-key", "sbp_|sb_secret_", "Supabase key", `\b(sbp_|sb_secret_)[A-Za-z0-9_-]{31,}`),
	shape("fly-token", "fm2_", "Fly token", `\b(fm2_)[A-Za-z0-9+/=,_-]{60,}`),
	shape("heroku-key", "HRKU-", "Heroku key", `\b(HRKU-)[A-Za-z0-9_-]{36,}`),
	shape("tailscale-key", "tskey-", "Tailscale key", `\b(tskey-[a-z]+-)[A-Za-z0-9-]{16,}`),
	shape("pulumi-token", "pul-", "Pulumi token", `\b(pul-)[0-9a-f]{40}`),

	// Services.
	shape("slack-token", "xox|xapp-", "Slack token", `\b(xox[abcdeoprs]-|xapp-)[A-Za-z0-9%-]{20,}`),
	shape("slack-webhook", "hooks.slack.com/", "Slack webhook", `\b(hooks\.slack\.com/(?:services|workflows|triggers)/)[A-Za-z0-9/]{20,}`),
	shape("discord-webhook", "/api/webhooks/", "Discord webhook", `\b(discord(?:app)?\.com/api/webhooks/[0-9]{17,20}/)[A-Za-z0-9_-]{60,}`),
	shape("discord-token", ".G", "Discord bot token", `\b([MNO][A-Za-z0-9]{23,27}\.G[A-Za-z0-9_-]{5}\.)[A-Za-z0-9_-]{27,}`),
	shape("stripe-key", "k_live_|k_test_|k_org_|whsec_", "Stripe key", `\b((?:sk|rk)_(?:live|test|org)_|whsec_)[A-Za-z0-9]{16,}`),
	shape("square-token", "sq0", "Square token", `\b(sq0(?:atp|csp)-)[A-Za-z0-9_-]{22,}`),
	shape("sendgrid-key", "SG.", "SendGrid key", `\b(SG\.)[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}`),
	shape("mailgun-key", "key-", "Mailgun key", `\b(key-)[0-9a-f]{32}\b`),
	shape("twilio-key", "SK", "Twilio key", `\b(SK)[0-9a-f]{32}\b`),
	shape("telegram-token", ":AA", "Telegram bot token", `\b([0-9]{8,10}:AA)[A-Za-z0-9_-]{33}`),
	shape("shopify-token", "shpat_|shpca_|shppa_|shpss_", "Shopify token", `\b(shp(?:at|ca|pa|ss)_)[0-9a-fA-F]{32}`),
	shape("linear-key", "lin_", "Linear key", `\b(lin_(?:api|oauth)_)[A-Za-z0-9]{32,}`),
	shape("notion-token", "ntn_|secret_", "Notion token", `\b(ntn_[0-9]{11}|secret_)[A-Za-z0-9]{35,43}\b`),
	shape("figma-token", "figd_|figo_", "Figma token", `\b(fig[do]_)[A-Za-z0-9_-]{40,}`),
	shape("postman-key", "PMAK-", "Postman key", `\b(PMAK-)[0-9a-f]{24}-[0-9a-f]{34}`),
	shape("grafana-token", "glsa_|glc_", "Grafana token", `\b(glsa_|glc_)[A-Za-z0-9+/=_]{32,}`),
	shape("sentry-token", "sntrys_|sntryu_", "Sentry token", `\b(sntry[su]_)[A-Za-z0-9+/=_-]{60,}`),
	shape("newrelic-key", "NRAK-", "New Relic key", `\b(NRAK-)[A-Z0-9]{27}`),
	shape("doppler-token", "dp.", "Doppler token", `\b(dp\.(?:pt|st|ct|sa|scim|audit)\.)(?:[a-z0-9_-]+\.)?[A-Za-z0-9]{40,}`),
	shape("1password-token", "ops_eyJ", "1Password token", `\b(ops_)eyJ[A-Za-z0-9+/=_-]{100,}`),
	shape("jwt", ".eyJ", "JSON web token", `\b(eyJ)[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}`),

	// Values that are secrets for what they are called.
	called("url-password", "://", "password in a URL", `(?i)\b([a-z][a-z0-9+.-]{1,30}://[^\s:@/"'<>]{0,64}:)([^\s@/"'<>:…]{4,128})@`),
	called("netrc-password", "achine|ACHINE", "password in a netrc file", `(?i)\b(machine\s+\S+\s+login\s+\S+\s+password\s+)([^\s…]{4,})`),
	called("npmrc-auth", "_auth|_password|_AUTH|_PASSWORD", "credentials in an npmrc file", `(?i)(_(?:authToken|password|auth)["']?\s{0,2}=\s{0,2}["']?)([A-Za-z0-9+/=_-]{16,})`),
	called("docker-auth", `"auth"`, "credentials of a registry", `("auth"\s{0,4}:\s{0,4}")([A-Za-z0-9+/]{12,}={0,2})"`),
	called("authorization", "uthorization|UTHORIZATION", "credentials in a header", `(?i)\b(authorization["'\]]{0,2}\s{0,2}[:=,]\s{0,2}["'`+"`"+`]?(?:bearer|basic|token)\s+)([A-Za-z0-9._~+/=-]{20,})`),
}

// between is what may stand between two lines of a key.
const between = `(?:\s|\\[nr]|["'+>#*|,])`

// shape makes a pattern; bars stand between its signs.
func shape(id, signs, name, expr string) Pattern {
	return Pattern{ID: id, Name: name, Expr: regexp.MustCompile(expr), signs: strings.Split(signs, "|")}
}

// signed reports whether a text can hold a match.
func (p Pattern) signed(text string) bool {
	for _, s := range p.signs {
		if strings.Contains(text, s) {
			return true
		}
	}
	return false
}

func called(id, signs, name, expr string) Pattern {
	p := shape(id, signs, name, expr)
	p.named = true
	return p
}

// Patterns lists the shapes, in the order in which they are tried.
func Patterns() []Pattern { return slices.Clone(table) }

// placeholder tells what stands for a secret from one: a variable, dots, or
// one of the words that documentation and tests use.
var placeholder = regexp.MustCompile(`(?i)[${}*\[\]<]|%[svq]|^%[a-z_]+%$|\.\.\.|x{4}|^(?:my|your|the|some|test|db|user)?[-_.]?` +
	`(?:pass(?:word|wd|phrase)?|pwd?|secret|token|key|changeme|change-me|example|admin|root|user(?:name)?|guest|test(?:ing|er)?|demo|dummy|fake|hunter2|string|postgres|mysql|redis|mongo|1234\d*|abc123|foo|bar|baz|qux|x-oauth-basic|x-access-token)` +
	`[0-9]{0,3}$`)

// stands reports whether a value that its name calls a secret is one: no
// placeholder, and not the user's name again.
func stands(before, value string) bool {
	before = strings.TrimSuffix(before, ":")
	user := before[strings.LastIndexAny(before, "/ \t")+1:]
	return !placeholder.MatchString(value) && value != user
}
