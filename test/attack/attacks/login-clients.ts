/** Client ids that nobody issued, documents of clients that lie or lead inward, and large bodies. */
import { CALLBACK, clientOf, makeClient, register } from '../../local/login-client.ts'
import { logIn, openBrowser } from '../../local/login-person.ts'
import { type Attack, attack, EVERYWHERE, TWIN } from '../attack.ts'
import { describeAnswer, describePage, probingAttack } from '../probes.ts'
import { freshId, type Target } from '../target.ts'

const FORGED_CLIENTS = probingAttack({
  name: 'login-forged-clients',
  tried:
    'client ids with another signature, other contents and other forms, on the page and for tokens',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { clientId } = await makeClient(target.origin)
    const [, payload = '', mac = ''] = clientId.split('.')
    const own = Buffer.from(JSON.stringify({ n: 'x', r: ['https://evil.test/'], x: '1' }))
    const forged = [
      `c1.${own.toString('base64url')}.${mac}`,
      `c1.${payload}.${'A'.repeat(22)}`,
      `c1.${payload}.`,
      `c1.${payload}`,
      `c1.${payload}.${mac}A`,
      `c2.${payload}.${mac}`,
      `c1.e30.${mac}`,
      'c1..',
      'x',
      `c1.${'A'.repeat(3_000)}.${mac}`,
    ]
    for (const id of forged) {
      const client = clientOf(target.origin, id)
      const page = await openBrowser(target.origin).open(client.authorizeUrl())
      note(`a page for ${id.slice(0, 30)}`, '401', describePage(page))
      const answer = await client.refresh('sgr_x')
      note(`tokens for ${id.slice(0, 30)}`, '401 invalid_client', describeAnswer(answer))
    }
    const open = await openBrowser(target.origin).open(
      clientOf(target.origin, clientId).authorizeUrl(),
    )
    note('a page for the real one', '200', describePage(open))
  },
})

type Document = { readonly what: string; serve(target: Target, path: string, id: string): void }

const raw = (what: string, status: number, headers: object, body: string): Document => ({
  what,
  serve: ({ upstreams }, path) =>
    upstreams.clients.serves(path, (_request, response) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(body)
    }),
})

const changed = (what: string, change: (id: string) => object): Document => ({
  what,
  serve: ({ upstreams }, path, id) =>
    upstreams.clients.servesDocument(path, { ...goodDocument(id), ...change(id) }),
})

function goodDocument(id: string) {
  return { client_id: id, client_name: 'Documented', redirect_uris: [CALLBACK] }
}

/** Bytes of the largest document that is read are 5,120. */
const HUGE = JSON.stringify('x'.repeat(6_000))

const BAD_DOCUMENTS: readonly Document[] = [
  changed('another client id', (id) => ({ client_id: `${id}x` })),
  changed('a client id in capitals', (id) => ({ client_id: id.toUpperCase() })),
  changed('a list of client ids', (id) => ({ client_id: [id] })),
  changed('no client id', () => ({ client_id: undefined })),
  changed('redirects of the attacker', () => ({ redirect_uris: ['https://evil.test/'] })),
  changed('a text of redirects', () => ({ redirect_uris: CALLBACK })),
  changed('no redirects', () => ({ redirect_uris: [] })),
  changed('6 kB', () => ({ padding: HUGE })),
  raw('a list', 200, {}, '[]'),
  raw('half of JSON', 200, {}, '{"client_id":'),
  raw('deep JSON', 200, {}, '['.repeat(5_000)),
  raw('nothing', 200, {}, ''),
  raw('a page', 200, { 'content-type': 'text/html' }, '<h1>hello</h1>'),
  raw('404', 404, {}, '{}'),
  raw('500', 500, {}, '{}'),
  raw('a false length', 200, { 'content-length': '100' }, '{}'),
]

const DOCUMENTS = probingAttack({
  name: 'login-documents',
  tried:
    'client documents that lie, are no documents, are large, redirect, never end and point inward',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { clients } = target.upstreams
    const open = async (id: string) =>
      describePage(
        await openBrowser(target.origin).open(clientOf(target.origin, id).authorizeUrl()),
      )
    const serve = ({ serve }: Pick<Document, 'serve'>) => {
      const path = `/${freshId()}`
      const id = `${clients.url}${path}`
      serve(target, path, id)
      return id
    }
    const good = serve({
      serve: (_target, path, id) => clients.servesDocument(path, goodDocument(id)),
    })
    note('a good document', '200', await open(good))
    for (const document of BAD_DOCUMENTS) note(document.what, '401', await open(serve(document)))
    for (const to of [good, `https://${clients.inner}/x`, `http://${clients.inner}/x`]) {
      note(`a redirect to ${to}`, '401', await open(serve(raw('', 302, { location: to }, ''))))
    }
    for (const id of listInward(clients)) note(id, '401', await open(id))
    note('connections behind the guard', '0', String(clients.innerConnections()))
  },
})

/** Client ids that no gateway may ask for, spelled in ways that guards have missed. */
function listInward({ host, inner }: Target['upstreams']['clients']): readonly string[] {
  const [, port = ''] = inner.split(':')
  const [, sitePort = ''] = host.split(':')
  return [
    `https://${inner}/id`,
    `https://localhost:${port}/id`,
    `https://127.1:${port}/id`,
    `https://2130706433:${port}/id`,
    `https://[::1]:${port}/id`,
    `https://[::ffff:127.0.0.1]:${port}/id`,
    `https://0.0.0.0:${port}/id`,
    `https://${host}@${inner}/id`,
    `https://user:pass@${host}/id`,
    `https://${host}/id?x=1`,
    `https://${host}/id#x`,
    `https://${host}/`,
    `https://${host}`,
    `https://${host}/x/../id`,
    `HTTPS://${host}/id`,
    `http://${host}/id`,
    `https://[::1]:${sitePort}/id`,
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/latest/meta-data/',
    'https://metadata.google.internal/computeMetadata/v1/',
    'file:///etc/passwd',
    'ftp://127.0.0.1/id',
  ]
}

const CHANGED_DOCUMENT = probingAttack({
  name: 'login-changed-document',
  tried: 'a client document that names another callback after the page was shown',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { clients } = target.upstreams
    const path = `/${freshId()}`
    const id = `${clients.url}${path}`
    clients.servesDocument(path, goodDocument(id))
    const client = clientOf(target.origin, id)
    const { key } = await target.user()
    const browser = openBrowser(target.origin)
    const page = await browser.open(client.authorizeUrl())
    note(
      'the page',
      'shows where it leads',
      page.html.includes('127.0.0.1:4711') ? 'shows where it leads' : 'hides it',
    )
    const elsewhere = 'https://claude.ai/api/mcp/auth_callback'
    clients.servesDocument(path, { ...goodDocument(id), redirect_uris: [elsewhere] })
    const consent = await browser.send(page, { key })
    const { location, status } = await browser.send(consent, { decision: 'allow' })
    const end = location === undefined ? String(status) : new URL(location).host
    // A process remembers the document; one that reads the new text refuses.
    note('the end', 'as shown', ['127.0.0.1:4711', '400', '403'].includes(end) ? 'as shown' : end)
    const other = client.authorizeUrl({ redirect_uri: 'https://evil.test/' })
    note(
      'the callback of another',
      '400',
      describePage(await openBrowser(target.origin).open(other)),
    )
  },
})

/** More than twice what a network may have read in one window: it is past the limit in one of two. */
const HANGING = 130
/** What a person waits for a page, on a machine that is not busy otherwise. */
const PAGE_MS_MAX = 2_000
/** A document is waited for 2 s; the rest is for a busy machine. */
const HANGING_MS_MAX = 20_000

const HANGING_DOCUMENTS = attack({
  name: 'login-hanging-documents',
  tried: `${HANGING} pages whose client documents never end, while somebody logs in`,
  // On Lambda each page waits in an environment of its own, so others wait for none of them.
  on: TWIN,
  attempt: async (target) => {
    const { clients } = target.upstreams
    const startedMs = performance.now()
    // Half of them say nothing; the others go on for ever, a byte at a time.
    const pages = Array.from({ length: HANGING / 2 }, () => hangingId(target))
      .concat(Array.from({ length: HANGING / 2 }, () => drippingId(target)))
      .map((id) => openBrowser(target.origin).open(clientOf(target.origin, id).authorizeUrl()))
    const refused = Promise.all(pages)
    // Whatever fails here fails again below.
    refused.catch(() => {})
    const client = await makeClient(target.origin)
    const { key } = await target.user()
    const loginMs = performance.now()
    const callback = await logIn(target.origin, client.authorizeUrl(), key)
    const tookMs = performance.now() - loginMs
    const refusals = await refused
    return {
      hasCode: callback.searchParams.has('code'),
      tookMs,
      hungMs: performance.now() - startedMs,
      opened: refusals.filter(({ status }) => status !== 401 && status !== 429).length,
      limited: refusals.filter(({ status }) => status === 429).length,
      inner: clients.innerConnections(),
    }
  },
  judge: ({ hasCode, hungMs, inner, limited, opened, tookMs }) => {
    if (!hasCode) return 'nobody could log in meanwhile'
    if (opened > 0) return `${opened} pages were opened for a document that never came`
    if (limited === 0) return 'every document was asked for'
    if (inner > 0) return `${inner} connections went behind the guard`
    if (hungMs > HANGING_MS_MAX) return `a page waited ${Math.round(hungMs)} ms for its document`
    const msMax = Math.max(PAGE_MS_MAX, hungMs / 2)
    return tookMs <= msMax ? undefined : `a login took ${Math.round(tookMs)} ms meanwhile`
  },
  held: { hasCode: true, tookMs: 90, hungMs: 3_100, opened: 0, limited: 70, inner: 0 },
  broken: [
    { hasCode: false, tookMs: 90, hungMs: 3_100, opened: 0, limited: 70, inner: 0 },
    { hasCode: true, tookMs: 3_000, hungMs: 3_100, opened: 0, limited: 70, inner: 0 },
    { hasCode: true, tookMs: 90, hungMs: 60_000, opened: 0, limited: 70, inner: 0 },
    { hasCode: true, tookMs: 90, hungMs: 3_100, opened: 1, limited: 70, inner: 0 },
    { hasCode: true, tookMs: 90, hungMs: 3_100, opened: 0, limited: 70, inner: 1 },
    { hasCode: true, tookMs: 90, hungMs: 3_100, opened: 0, limited: 0, inner: 0 },
  ],
})

function hangingId({ upstreams: { clients } }: Target): string {
  const path = `/${freshId()}`
  clients.serves(path, () => {})
  return `${clients.url}${path}`
}

function drippingId({ upstreams: { clients } }: Target): string {
  const path = `/${freshId()}`
  clients.serves(path, (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const drip = setInterval(() => response.write(' '), 100)
    response.once('close', () => clearInterval(drip))
  })
  return `${clients.url}${path}`
}

const BODIES: readonly { readonly what: string; readonly type: string; readonly body: string }[] = [
  { what: '1 MB', type: 'form', body: `client_id=${'x'.repeat(1_000_000)}` },
  { what: '9 kB', type: 'form', body: `client_id=${'x'.repeat(9_000)}` },
  { what: 'fields twice', type: 'form', body: 'client_id=a&client_id=b&token=a&token=b' },
  {
    what: 'a thousand fields',
    type: 'form',
    body: Array.from({ length: 1_000 }, (_, at) => `a${at}=`)
      .join('&')
      .slice(0, 8_000),
  },
  { what: 'nothing', type: 'form', body: '' },
  { what: 'JSON', type: 'json', body: '{}' },
  { what: 'deep JSON', type: 'json', body: '['.repeat(8_000) },
  {
    what: '1 MB of JSON',
    type: 'json',
    body: JSON.stringify({ redirect_uris: ['x'.repeat(1_000_000)] }),
  },
  {
    what: 'many redirects',
    type: 'json',
    body: JSON.stringify({ redirect_uris: Array(2_000).fill('x') }),
  },
  { what: 'a list', type: 'json', body: '[]' },
  { what: 'null', type: 'json', body: 'null' },
]
const TYPES: { readonly [type: string]: string } = {
  form: 'application/x-www-form-urlencoded',
  json: 'application/json',
}

const LARGE_BODIES = probingAttack({
  name: 'login-bodies',
  tried: 'large, deep, empty and repeated bodies to each path of the login',
  on: EVERYWHERE,
  probe: async (target, note) => {
    for (const path of ['/register', '/token', '/revoke', '/authorize']) {
      for (const { body, type, what } of BODIES) {
        const headers = { 'content-type': TYPES[type] ?? '' }
        const answer = await fetch(`${target.origin}${path}`, { method: 'POST', headers, body })
        await answer.text()
        const { status } = answer
        // RFC 7009: a token that nobody knows is revoked already.
        const isHarmless = path === '/revoke' && status === 200
        const got = (status >= 400 && status < 500) || isHarmless ? 'refused' : String(status)
        note(`${what} to ${path}`, 'refused', got)
      }
    }
    const query = `client_id=${'x'.repeat(9_000)}`
    const page = await openBrowser(target.origin).open(`${target.origin}/authorize?${query}`)
    note('9 kB of query', '400', describePage(page))
    const still = await register(target.origin, { redirect_uris: [CALLBACK] })
    note('a registration afterwards', '201', describeAnswer(still))
  },
})

export const LOGIN_CLIENT_ATTACKS: readonly Attack[] = [
  FORGED_CLIENTS,
  DOCUMENTS,
  CHANGED_DOCUMENT,
  HANGING_DOCUMENTS,
  LARGE_BODIES,
]
