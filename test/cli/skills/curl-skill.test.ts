/**
 * Skills that are made of curl lines as documentation and browsers write them. Each skill is read
 * by the gateway's own reader, and its request is drafted as a call would send it.
 */
import { describe, expect, test } from 'vitest'
import { makeSkill } from '../../../cli/skills/curl/make-skill.ts'
import { readCurl } from '../../../cli/skills/curl/read-curl.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { draftRequest } from '../../../core/request/draft-request.ts'
import { findClearSecrets } from '../../../core/skills/definition/clear-secrets.ts'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'
import { okOf } from '../../core/flow/world.ts'

type Expected = {
  readonly url: string
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
  readonly secrets?: readonly string[]
  readonly parameters: readonly string[]
}

type Line = readonly [name: string, line: string, args: JsonObject, expected: Expected]

/** The value of every secret. */
const HIDDEN = 'hidden'
const JSON_TYPE = { 'content-type': 'application/json' }
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' }

function definitionOf(line: string) {
  const { config, id, name, parameters, secrets } = makeSkill(readCurl(line))
  const meta = { name, description: name, parameters }
  const definition = { id, source: 'official', meta, config, credits_per_call: 1 }
  return { definition, secrets: secrets.map((one) => one.name) }
}

const LINES: readonly Line[] = [
  [
    'Stripe with -u and a form',
    `curl https://api.stripe.com/v1/charges \\
  -u "sk_test_FAKEFAKEFAKEFAKEFAKE:" \\
  -d amount=2000 \\
  -d currency=usd \\
  -d "metadata[order_id]"=6735`,
    { amount: 2000, currency: 'usd', metadata_order_id: 6735 },
    {
      url: 'https://api.stripe.com/v1/charges',
      method: 'POST',
      headers: { authorization: `Basic ${btoa(HIDDEN)}`, ...FORM_TYPE },
      body: 'amount=2000&currency=usd&metadata%5Border_id%5D=6735',
      secrets: ['STRIPE_LOGIN'],
      parameters: ['amount', 'currency', 'metadata_order_id'],
    },
  ],
  [
    'Stripe with -G',
    'curl -G https://api.stripe.com/v1/customers -H "Authorization: Bearer $STRIPE_KEY" -d limit=3',
    { limit: 3 },
    {
      url: 'https://api.stripe.com/v1/customers?limit=3',
      headers: { authorization: `Bearer ${HIDDEN}` },
      secrets: ['STRIPE_KEY'],
      parameters: ['limit'],
    },
  ],
  [
    'GitHub issues with placeholders of the path',
    `curl -L \\
  -X POST \\
  -H "Accept: application/vnd.github+json" \\
  -H "Authorization: Bearer <YOUR-TOKEN>" \\
  -H "X-GitHub-Api-Version: 2022-11-28" \\
  https://api.github.com/repos/OWNER/REPO/issues \\
  -d '{"title":"Found a bug","labels":["bug"]}'`,
    { owner: 'ada', repo: 'engine', title: 'T', labels: ['x'] },
    {
      url: 'https://api.github.com/repos/ada/engine/issues',
      method: 'POST',
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${HIDDEN}`,
        'x-github-api-version': '2022-11-28',
        ...JSON_TYPE,
      },
      body: '{"title":"T","labels":["x"]}',
      secrets: ['GITHUB_TOKEN'],
      parameters: ['owner', 'repo', 'title', 'labels'],
    },
  ],
  [
    'GitHub with the scheme token',
    "curl -H 'Authorization: token OAUTH-TOKEN' https://api.github.com/user",
    {},
    {
      url: 'https://api.github.com/user',
      headers: { authorization: `token ${HIDDEN}` },
      secrets: ['GITHUB_TOKEN'],
      parameters: [],
    },
  ],
  [
    'OpenAI with nested JSON',
    `curl https://api.openai.com/v1/chat/completions \\
  -H "Content-Type: application/json" \\
  -H "Authorization: Bearer $OPENAI_API_KEY" \\
  -d '{
    "model": "gpt-5",
    "temperature": 0.7,
    "stream": false,
    "messages": [{"role": "user", "content": "Say \\"hi\\""}]
  }'`,
    { model: 'm', temperature: 1.5, stream: true, messages: [{ role: 'user', content: 'x' }] },
    {
      url: 'https://api.openai.com/v1/chat/completions',
      method: 'POST',
      headers: { authorization: `Bearer ${HIDDEN}`, ...JSON_TYPE },
      body: '{"model":"m","temperature":1.5,"stream":true,"messages":[{"role":"user","content":"x"}]}',
      secrets: ['OPENAI_API_KEY'],
      parameters: ['model', 'temperature', 'stream', 'messages'],
    },
  ],
  [
    'Anthropic with a key header',
    `curl https://api.anthropic.com/v1/messages --header "x-api-key: $ANTHROPIC_API_KEY" --header "anthropic-version: 2023-06-01" --data '{"model":"c","max_tokens":1024}'`,
    { model: 'c', max_tokens: 5 },
    {
      url: 'https://api.anthropic.com/v1/messages',
      method: 'POST',
      headers: { 'x-api-key': HIDDEN, 'anthropic-version': '2023-06-01', ...JSON_TYPE },
      body: '{"model":"c","max_tokens":5}',
      secrets: ['ANTHROPIC_API_KEY'],
      parameters: ['model', 'max_tokens'],
    },
  ],
  [
    'Slack with a form and a token in the body',
    'curl -d "text=Hello" -d "channel=C123456" -d "token=xoxb-123456789012-abcdefabcdef" -X POST https://slack.com/api/chat.postMessage',
    { text: 'Hi & bye', channel: 'C1' },
    {
      url: 'https://slack.com/api/chat.postMessage',
      method: 'POST',
      headers: FORM_TYPE,
      body: `text=Hi+%26+bye&channel=C1&token=${HIDDEN}`,
      secrets: ['SLACK_TOKEN'],
      parameters: ['text', 'channel'],
    },
  ],
  [
    'Twilio with variables in path and login',
    `curl -X POST "https://api.twilio.com/2010-04-01/Accounts/$TWILIO_ACCOUNT_SID/Messages.json" \\
--data-urlencode "Body=Hi there" \\
--data-urlencode "To=+15558675310" \\
-u $TWILIO_ACCOUNT_SID:$TWILIO_AUTH_TOKEN`,
    { twilio_account_sid: 'AC1', Body: 'a b', To: '+1' },
    {
      url: 'https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json',
      method: 'POST',
      headers: { authorization: `Basic ${btoa(HIDDEN)}`, ...FORM_TYPE },
      body: 'Body=a%20b&To=%2B1',
      secrets: ['TWILIO_ACCOUNT_SID'],
      parameters: ['twilio_account_sid', 'Body', 'To'],
    },
  ],
  [
    'a browser, as bash with $-quotes and cookies',
    `curl 'https://shop.example/api/cart?lang=de' \\
  -H 'accept: */*' \\
  -H 'accept-language: de-DE,de;q=0.9' \\
  -H 'content-type: application/json' \\
  -b 'sid=s3cr3t; theme=dark' \\
  -H 'origin: https://shop.example' \\
  -H 'sec-ch-ua: "Chromium";v="142"' \\
  -H 'sec-fetch-mode: cors' \\
  -H 'user-agent: Mozilla/5.0 (X11; Linux x86_64)' \\
  --data-raw $'{"note":"it\\'s \\u0041 gift","count":2}' \\
  --compressed`,
    { lang: 'en', note: "it's", count: 1 },
    {
      url: 'https://shop.example/api/cart?lang=en',
      method: 'POST',
      headers: {
        accept: '*/*',
        'accept-language': 'de-DE,de;q=0.9',
        cookie: `sid=${HIDDEN}`,
        origin: 'https://shop.example',
        'user-agent': 'Mozilla/5.0 (X11; Linux x86_64)',
        ...JSON_TYPE,
      },
      body: '{"note":"it\'s","count":1}',
      secrets: ['SHOP_COOKIE'],
      parameters: ['note', 'count', 'lang'],
    },
  ],
  [
    'NASA with a key in the query',
    'curl "https://api.nasa.gov/planetary/apod?api_key=AbC123dEf456GhI789&date=2026-01-01"',
    { date: '2026-02-02' },
    {
      url: `https://api.nasa.gov/planetary/apod?api_key=${HIDDEN}&date=2026-02-02`,
      secrets: ['NASA_API_KEY'],
      parameters: ['date'],
    },
  ],
  [
    'an unquoted URL with one pair',
    'curl https://api.frankfurter.app/latest?from=EUR',
    { from: 'USD' },
    { url: 'https://api.frankfurter.app/latest?from=USD', parameters: ['from'] },
  ],
  [
    'a host without a scheme, with flags in one word',
    'curl -sSLf wttr.example/Oslo | jq .',
    {},
    { url: 'https://wttr.example/Oslo', parameters: [] },
  ],
  [
    'a method and a header without spaces after the option',
    'curl -XPUT -H\'X-Trace: on\' https://api.example.com/items/{id} --json \'{"name":"a"}\'',
    { id: '7', name: 'b' },
    {
      url: 'https://api.example.com/items/7',
      method: 'PUT',
      headers: { 'x-trace': 'on', ...JSON_TYPE },
      body: '{"name":"b"}',
      parameters: ['id', 'name'],
    },
  ],
  [
    'options with an equals sign',
    "curl --request=PATCH --url=https://api.example.com/items/:id --header='Accept: application/json' --data='{\"done\":true}'",
    { id: '7', done: false },
    {
      url: 'https://api.example.com/items/7',
      method: 'PATCH',
      headers: { accept: 'application/json', ...JSON_TYPE },
      body: '{"done":false}',
      parameters: ['id', 'done'],
    },
  ],
  [
    'DELETE with a body',
    `curl -X DELETE https://api.example.com/items -H 'Content-Type: application/json' -d '{"ids":[1,2]}'`,
    { ids: [3] },
    {
      url: 'https://api.example.com/items',
      method: 'DELETE',
      headers: JSON_TYPE,
      body: '{"ids":[3]}',
      parameters: ['ids'],
    },
  ],
  [
    'HEAD',
    'curl -I https://api.example.com/health',
    {},
    { url: 'https://api.example.com/health', method: 'HEAD', parameters: [] },
  ],
  [
    'a list of JSON as the whole body',
    `curl https://api.example.com/batch -H 'content-type: application/json' -d '[{"id":1}]'`,
    { body: [{ id: 2 }] },
    {
      url: 'https://api.example.com/batch',
      method: 'POST',
      headers: JSON_TYPE,
      body: '[{"id":2}]',
      parameters: ['body'],
    },
  ],
  [
    'XML',
    `curl https://soap.example.com/x -H 'Content-Type: text/xml' -d '<a>1</a>'`,
    { body: '<a>2</a>' },
    {
      url: 'https://soap.example.com/x',
      method: 'POST',
      headers: { 'content-type': 'text/xml' },
      body: '<a>2</a>',
      parameters: ['body'],
    },
  ],
  [
    'GraphQL',
    `curl -X POST https://api.example.com/graphql -H "Authorization: bearer TOKEN" -d '{"query":"query { viewer { login } }"}'`,
    { query: 'query { a }' },
    {
      url: 'https://api.example.com/graphql',
      method: 'POST',
      headers: { authorization: `Bearer ${HIDDEN}`, ...JSON_TYPE },
      body: '{"query":"query { a }"}',
      secrets: ['EXAMPLE_TOKEN'],
      parameters: ['query'],
    },
  ],
  [
    'OAuth with a client secret in the form',
    'curl -X POST https://auth.example.com/token -d grant_type=client_credentials -d client_id=abc -d client_secret=shhhhhh1',
    { grant_type: 'client_credentials', client_id: 'abc' },
    {
      url: 'https://auth.example.com/token',
      method: 'POST',
      headers: FORM_TYPE,
      body: `grant_type=client_credentials&client_id=abc&client_secret=${HIDDEN}`,
      secrets: ['EXAMPLE_CLIENT_SECRET'],
      parameters: ['grant_type', 'client_id'],
    },
  ],
  [
    'a secret deep in JSON',
    `curl https://api.example.com/x --json '{"auth":{"password":"hunter22","user":"ada"},"q":"a"}'`,
    { q: 'b' },
    {
      url: 'https://api.example.com/x',
      method: 'POST',
      headers: JSON_TYPE,
      body: `{"auth":{"password":"${HIDDEN}","user":"ada"},"q":"b"}`,
      secrets: ['EXAMPLE_PASSWORD'],
      parameters: ['q'],
    },
  ],
  [
    'a login in the URL',
    'curl https://ada:hunter2@api.example.com/me',
    {},
    {
      url: 'https://api.example.com/me',
      headers: { authorization: `Basic ${btoa(HIDDEN)}` },
      secrets: ['EXAMPLE_LOGIN'],
      parameters: [],
    },
  ],
  [
    'GitLab, with POST and a query',
    'curl --request POST --header "PRIVATE-TOKEN: <your_access_token>" "https://gitlab.example.com/api/v4/projects?name=foo"',
    { name: 'bar' },
    {
      url: 'https://gitlab.example.com/api/v4/projects?name=bar',
      method: 'POST',
      headers: { 'private-token': HIDDEN },
      secrets: ['EXAMPLE_PRIVATE_TOKEN'],
      parameters: ['name'],
    },
  ],
  [
    'repeated pairs of a query',
    "curl 'https://api.example.com/search?tag=a&tag=b&page=2'",
    { tag: ['x', 'y'], page: 1 },
    { url: 'https://api.example.com/search?tag=x&tag=y&page=1', parameters: ['tag', 'page'] },
  ],
  [
    'a user agent and a referer',
    'curl -A "my-app/1.0" -e https://example.com/ https://api.example.com/x',
    {},
    {
      url: 'https://api.example.com/x',
      headers: { 'user-agent': 'my-app/1.0', referer: 'https://example.com/' },
      parameters: [],
    },
  ],
  [
    'a line with the prompt before it and a comment after it',
    '$ curl --fail-with-body -o out.json https://api.example.com/x # see below',
    {},
    { url: 'https://api.example.com/x', parameters: [] },
  ],
  [
    'an upload of a file',
    "curl --data-binary @photo.png -H 'Content-Type: image/png' https://api.example.com/images",
    { file: { base64: 'aGk=', filename: 'a.png' } },
    {
      url: 'https://api.example.com/images',
      method: 'POST',
      headers: { 'content-type': 'image/png' },
      body: 'hi',
      parameters: ['file'],
    },
  ],
]

describe('a skill that is made of curl', () => {
  test.each(LINES)('%s sends what curl would send', (_, line, args, expected) => {
    const { definition, secrets } = definitionOf(line)
    const { skill, slips } = okOf(readSkill(definition, { prefix: 'sg', strict: true }))
    expect(slips).toEqual([])
    expect(findClearSecrets(definition)).toEqual([])
    expect(Object.keys(Object(skill.parameters['properties']))).toEqual(expected.parameters)
    expect(secrets).toEqual(expected.secrets ?? [])
    const draft = okOf(draftRequest(skill, args))
    const values = new Map(secrets.map((name) => [name, HIDDEN]))
    const sent = okOf(draft.complete(values))
    const url = new URL(sent.url)
    expect(url.origin + url.pathname).toBe(expected.url.split('?')[0])
    expect([...url.searchParams].sort()).toEqual([...new URL(expected.url).searchParams].sort())
    expect(sent.method).toBe(expected.method ?? 'GET')
    expect(sent.headers).toMatchObject(expected.headers ?? {})
    const body = sent.body === undefined ? undefined : Buffer.from(sent.body).toString()
    expect(body).toBe(expected.body)
  })

  test('has multipart parts and files as arguments', () => {
    const { definition } = definitionOf(
      "curl -F 'file=@report.pdf;type=application/pdf' -F purpose=assistants https://api.example.com/files",
    )
    const { skill } = okOf(readSkill(definition, { prefix: 'sg', strict: true }))
    const args = { file: { base64: 'aGk=', filename: 'a.pdf' }, purpose: 'x' }
    const sent = okOf(okOf(draftRequest(skill, args)).complete(new Map()))
    const body = Buffer.from(sent.body ?? '').toString()
    expect(sent.headers['content-type']).toMatch(/^multipart\/form-data/)
    expect(body).toMatch(
      /name="file"; filename="a\.pdf"\r\nContent-Type: application\/pdf\r\n\r\nhi/i,
    )
    expect(body).toMatch(/name="purpose"\r\n/)
  })
})

describe('a line is refused with a word', () => {
  test.each([
    ['wget https://a.example', 'does not begin with curl'],
    ['curl ^"https://a.example^" ^\n  -H ^"a: b^"', 'command prompt of Windows'],
    ['curl https://a.example `\n -H "a: b"', 'PowerShell'],
    ['curl https://a.example/x?a=1&b=2', 'has & outside of quotes'],
    ['curl -k https://a.example', 'always checks certificates'],
    ['curl --frobnicate https://a.example', '--frobnicate is not an option'],
    ['curl -d @body.json https://a.example', 'from the file body.json'],
    ['curl https://a.example https://b.example', 'has 2 URLs'],
    ['curl -X OPTIONS https://a.example', 'cannot send OPTIONS'],
    ['curl -X GET -d a=b https://a.example', 'sends no body with GET'],
    ['curl -H', 'has no value'],
    ['curl -s', 'has no URL'],
    ['curl https://a.example --json \'{"a":1,}\'', 'not JSON at line 1, column 7'],
    ['curl "https://$HOST/x"', 'not a URL with a host'],
    ['curl -b jar.txt https://a.example', 'cookies from the file jar.txt'],
  ])('%j', (line, expected) => {
    expect(() => makeSkill(readCurl(line))).toThrow(expected)
  })

  test('if it has over 1,000,000 characters, and not with as many', () => {
    const line = (length: number) => `curl https://a.example/${'x'.repeat(length - 23)}`
    expect(readCurl(line(1_000_000)).method).toBe('GET')
    expect(() => readCurl(line(1_000_001))).toThrow('1000000 at most')
  })
})
