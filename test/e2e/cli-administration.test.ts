/**
 * The commands over the admin API that change many things or read what happened, against a twin: what they
 * print, what they refuse, and what a second run does.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { PART_LINES } from '../../cli/commands/batches.ts'
import { runLine, type ShellOptions } from '../cli/test-shell.ts'
import { startFreshTwin } from './fresh-twin.ts'
import type { Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'
import { untilTrue } from './wait.ts'

let twin: Twin
let home = ''
/** Serves a document, as an upstream's developer portal does. */
let portal: Server
let portalUrl = ''
const served = { status: 200, body: '' }

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-cli-'))
  twin = await startFreshTwin([])
  portal = createServer((_, response) => response.writeHead(served.status).end(served.body))
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve))
  portalUrl = `http://127.0.0.1:${(portal.address() as AddressInfo).port}/openapi.json`
})
afterAll(async () => {
  portal.close()
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

const run = (line: string, options?: ShellOptions) => runAtTwin(twin, home, line, options)

async function json(line: string, options: ShellOptions = {}) {
  const { code, err, out } = await run(`${line} --json`, options)
  expect(code, err).toBe(0)
  return JSON.parse(out)
}

function operation(id: string, more: object = {}) {
  return { operationId: id, responses: { 200: { description: 'Done.' } }, ...more }
}

function documentOf(paths: object): string {
  return JSON.stringify({ openapi: '3.1.0', servers: [{ url: 'https://shop.example' }], paths })
}

describe('calls, usage and logs', () => {
  let callId = ''
  beforeAll(async () => {
    await run('call sg_weather city=Oslo')
    await run('call sg_echo text=hi')
    await untilTrue(async () => (await json('calls ls')).length === 2)
    callId = (await json('calls ls --user demo --skill sg_weather'))[0].callId
  })

  test('calls ls filters, and calls show tells everything about one', async () => {
    expect(await json('calls ls --skill sg_weather')).toEqual([
      expect.objectContaining({ callId, uid: 'demo', skillId: 'sg_weather', outcome: 'settled' }),
    ])
    expect(await json('calls ls --outcome refunded')).toEqual([])
    expect(await json('calls ls --min-ms 60000')).toEqual([])
    expect(await json('calls ls --until 2020-01-01')).toEqual([])
    const { out } = await run(`calls show ${callId}`)
    expect(out).toMatch(/^call {6}\S+\nuser {6}demo\nskill {5}sg_weather \(version 1\)\n/)
    expect(out).toContain('phases')
  })

  test('calls refuse a time, an outcome and a number that are none', async () => {
    const archived = /^Calls before 20\S+Z are only in the archive\.\nNone\.\n$/
    expect((await run('calls ls --until 2020-01-01')).err).toMatch(archived)
    expect((await run('calls ls --since 2020-01-01 --until 2020-01-02')).err).toMatch(archived)
    expect((await run('calls ls --since 2h')).err).toBe('')
    expect(await run('calls ls --min-ms soon')).toMatchObject({ code: 2 })
    expect(await run('calls ls --outcome lost')).toMatchObject({ code: 2 })
    expect(await run('calls ls --since yesterday')).toMatchObject({
      code: 1,
      err: expect.stringContaining('must be a date'),
    })
    expect(await run('calls show no-such-call')).toMatchObject({ code: 1 })
  })

  test('usage adds up in a table, CSV, NDJSON and JSON, and refuses two formats', async () => {
    await untilTrue(async () => (await json('usage --by skill')).entries.length === 2)
    const table = await run('usage --by skill', { columns: 100 })
    expect(table.out).toMatch(/^SKILL +CALLS +SETTLED +REFUNDED +CHARGED/)
    expect(table.out).toMatch(/\nsg_weather +1 +1 +0 +0\.5/)
    const csv = await run('usage --by skill --csv')
    expect(csv.out.split(/\r?\n/)[0]).toMatch(/^skillId,source,calls,/)
    const lines = (await run('usage --by skill --ndjson')).out.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).skillId)).toEqual(['sg_echo', 'sg_weather'])
    expect(await run('usage --csv --ndjson')).toMatchObject({
      code: 2,
      err: '--csv and --ndjson cannot be combined.\nGive one of them.\n',
    })
    expect((await run('usage --by day --since 3d')).code).toBe(0)
  })

  test('logs prints calls oldest first, filtered, as text or a line of JSON each', async () => {
    const { code, out } = await run('logs --since 1h')
    expect(code).toBe(0)
    const lines = out.trim().split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d demo +sg_weather +settled 200 +\d+ ms/,
    )
    const one = await run('logs --since 1h --skill sg_echo --user demo --json')
    expect(
      one.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).skillId),
    ).toEqual(['sg_echo'])
    expect(await run('logs --outcome refused')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Add --stage'),
    })
    expect(await run('logs --since soon')).toMatchObject({ code: 2 })
  })

  test('logs --follow prints each call once, and ends with 130 at Ctrl-C', async () => {
    const stop = new AbortController()
    const written: string[] = []
    const following = runLine(['logs', '--follow', '--since', '1h', '--json'], {
      home,
      env: { SKILLGATE_URL: twin.url, SKILLGATE_ADMIN_KEY: twin.adminKey },
      signal: stop.signal,
      onOut: (text) => written.push(text),
    })
    await untilTrue(() => written.length >= 2)
    await run('call sg_slow seconds=0.1')
    await untilTrue(() => written.some((line) => line.includes('sg_slow')))
    stop.abort()
    expect((await following).code).toBe(130)
    const ids = written.map((line) => JSON.parse(line).callId)
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('batches', () => {
  test('a batch makes each user once, reports each line, and is safe to send again', async () => {
    const lines = [
      '{"uid":"mia","username":"Mia","credits":5}',
      '',
      'no json',
      '{"uid":"noa","username":"Noa"}',
    ]
    writeFileSync(join(home, 'users.ndjson'), lines.join('\n'))
    const first = await run('users batch users.ndjson')
    expect([first.code, first.out, first.err]).toEqual([
      1,
      expect.stringMatching(
        /^1 {2}201 {2}mia\n3 {2}400 {2}malformed\n {2}line: .*\n4 {2}201 {2}noa\n$/,
      ),
      '2 done, 1 refused.\n',
    ])
    const again = await run('users batch users.ndjson --json')
    expect(
      again.out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).status),
    ).toEqual([200, 400, 200])
    expect((await json('users show mia')).credits).toBe(5)
  })

  test('a long file is sent in parts, with the numbers of its own lines and progress on a terminal', async () => {
    const count = PART_LINES + 3
    const stdin = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ uid: 'mia', grantId: `g${index}`, amount: 1 }),
    ).join('\n')
    const { code, err, out } = await run('credits batch -', { stdin, columns: 80 })
    expect(code).toBe(0)
    expect(out.split('\n').at(-2)).toBe(`${count}  200  mia g${count - 1}`)
    expect(err).toContain(`${PART_LINES} of ${count} lines`)
    const again = await run('credits batch -', { stdin })
    expect(again.out.split('\n')[0]).toBe('1  200  mia g0 counted before')
    expect((await json('users show mia')).credits).toBe(5 + count)
  })

  test('a file without lines is refused', async () => {
    expect(await run('users batch -', { stdin: '\n\n' })).toMatchObject({ code: 2 })
    expect(await run('users batch nowhere.ndjson')).toMatchObject({ code: 2 })
  })
})

describe('the tool list of a user', () => {
  test('is set by users set --list, and none leaves it to the stage', async () => {
    await json('users create shorty --username shorty')
    expect(await json('users set shorty --list search')).toMatchObject({ list: 'search' })
    expect((await run('users show shorty')).out).toMatch(/list +search/)
    expect(await json('users set shorty --list none')).not.toHaveProperty('list')
    const wrong = await run('users set shorty --list few')
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('Write one of all, search, none.'),
    ])
  })
})

describe('events', () => {
  test('users set --low-balance sets a threshold, and none leaves it to the stage', async () => {
    await json('users create low --username low')
    expect(await json('users set low --low-balance 2.5')).toMatchObject({ lowBalance: 2.5 })
    expect((await run('users show low')).out).toMatch(/low balance +2\.5/)
    expect(await json('users set low --low-balance none')).not.toHaveProperty('lowBalance')
    const wrong = await run('users set low --low-balance few')
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringContaining('--low-balance: few is not a number.'),
    ])
    const nothing = await run('users set low')
    expect([nothing.code, nothing.err]).toEqual([2, expect.stringContaining('--low-balance N')])
  })

  test('a gateway without a target lists none, and says where a target is set', async () => {
    expect(await json('events ls --state pending')).toEqual([])
    for (const line of ['events test', 'events resend no-such-event']) {
      const { code, err } = await run(line)
      expect([code, err]).toEqual([1, expect.stringContaining('this stage sends none')])
    }
  })

  test('a state that no event has is refused before anything is asked', async () => {
    const { code, err } = await run('events ls --state lost')
    expect([code, err]).toEqual([2, expect.stringContaining('pending, failed')])
  })
})

describe('groups, shared secrets and administrators', () => {
  test('a user has the groups that were set, and groups ls names those of skills', async () => {
    const skill = {
      id: 'sg_finance',
      meta: { name: 'Finance', description: 'Of a test.' },
      config: { endpoint: 'https://api.example.com/x', method: 'GET' },
      credits_per_call: 0,
      groups: ['finance'],
    }
    await run('skills push - --source official', { stdin: JSON.stringify(skill) })
    expect(await json('groups ls')).toEqual([{ group: 'finance', skills: ['sg_finance'] }])
    expect((await run('tools')).out).not.toContain('sg_finance')
    expect(await json('groups set demo finance travel')).toEqual({
      uid: 'demo',
      groups: ['finance', 'travel'],
    })
    expect((await run('tools')).out).toContain('sg_finance')
    expect(await json('groups set demo')).toEqual({ uid: 'demo', groups: [] })
    expect((await run('groups show demo')).out).toContain('none')
  })

  test('a shared secret takes its value from stdin, is listed without it, and is deleted', async () => {
    const line = 'secrets shared set RATES_KEY --origin https://api.example.com'
    const set = await run(line, { stdin: 'the value of it\n' })
    expect([set.code, set.out]).toEqual([0, expect.stringContaining('https://api.example.com')])
    const listed = await run('secrets shared ls --json')
    expect(listed.out).toContain('RATES_KEY')
    expect(listed.out).not.toContain('the value')
    expect(
      await run('secrets shared set RATES_KEY --origin https://a.example', { stdin: '' }),
    ).toMatchObject({ code: 2 })
    expect(await run('secrets shared rm RATES_KEY')).toMatchObject({ code: 2 })
    expect(await run('secrets shared rm RATES_KEY', { answers: ['y'] })).toMatchObject({ code: 0 })
    expect(await json('secrets shared ls')).toEqual([])
  })

  test('a key of an administrator does what its role may, until it is revoked by its name', async () => {
    expect(await run('admin-keys create vera')).toMatchObject({ code: 2 })
    const { key } = await json('admin-keys create vera --role viewer')
    const asVera = { env: { SKILLGATE_ADMIN_KEY: key } }
    expect(await json('whoami', asVera)).toMatchObject({ name: 'vera', role: 'viewer' })
    expect(await run('users create eve', asVera)).toMatchObject({ code: 4 })
    expect(await run('admin-keys revoke nobody --yes')).toMatchObject({ code: 1 })
    expect(await run('admin-keys revoke vera --yes')).toMatchObject({ code: 0 })
    expect(await run('whoami', asVera)).toMatchObject({ code: 4 })
  })
})

describe('versions of a skill', () => {
  const skill = (price: number) =>
    JSON.stringify({
      id: 'sg_versioned',
      meta: { name: 'Versioned', description: 'Of a test.' },
      config: { endpoint: 'https://api.example.com/x', method: 'GET' },
      credits_per_call: price,
    })

  test('versions are listed, compared and brought back, and a skill is disabled and enabled', async () => {
    for (const price of [1, 2]) {
      await run('skills push - --source official', { stdin: skill(price) })
    }
    const rows = await json('skills versions sg_versioned')
    expect(rows.map(({ version }: { version: number }) => version)).toEqual([2, 1])
    expect((await run('skills diff sg_versioned 1')).out).toBe('/credits_per_call\n  - 1\n  + 2\n')
    expect((await run('skills diff sg_versioned 2 2')).err).toBe('Versions 2 and 2 are equal.\n')
    expect(await run('skills rollback sg_versioned 1')).toMatchObject({ code: 0 })
    // A price is set by name alone, never by going back.
    expect((await json('skills export sg_versioned')).credits_per_call).toBe(2)
    expect((await run('tools')).out).toContain('sg_versioned(')
    await run("skills disable sg_versioned --reason 'Down until Monday.'")
    expect((await run('tools')).out).not.toContain('sg_versioned(')
    expect(await run('call sg_versioned')).toMatchObject({ code: 1 })
    expect(await run('skills enable sg_versioned')).toMatchObject({ code: 0 })
    expect((await run('tools')).out).toContain('sg_versioned(')
    expect(await run('skills diff sg_versioned one')).toMatchObject({ code: 2 })
    expect(await run('skills rollback sg_versioned 0')).toMatchObject({ code: 2 })
    expect(await run('skills versions sg_nobody')).toMatchObject({ code: 1 })
  })
})

describe('a set of skills', () => {
  const skill = (id: string, price: number) =>
    JSON.stringify({
      id,
      meta: { name: id, description: 'Of a test.', parameters: { type: 'object' } },
      config: { endpoint: `https://api.example.com/${id}`, method: 'GET' },
      credits_per_call: price,
    })

  test('a folder is planned and applied, finds no drift, and prunes what is gone after a question', async () => {
    const folder = join(home, 'set')
    mkdirSync(folder)
    writeFileSync(join(folder, 'a.json'), skill('sg_set_a', 1))
    writeFileSync(join(folder, 'b.json'), skill('sg_set_b', 1))
    const plan = await run('skills plan set --set shop --check')
    expect([plan.code, plan.out, plan.err]).toEqual([
      2,
      '+ sg_set_a  set/a.json\n  api.example.com, 1 credit: Of a test. (sg_set_a)\n' +
        '+ sg_set_b  set/b.json\n  api.example.com, 1 credit: Of a test. (sg_set_b)\n',
      expect.stringMatching(/^2 changes, 0 unchanged\. These tools are \d+ bytes of a list\.\n$/),
    ])
    expect(await run('skills apply set --set shop')).toMatchObject({ code: 0 })
    expect(await run('skills plan set --set shop --check')).toMatchObject({ code: 0, out: '' })
    writeFileSync(join(folder, 'a.json'), skill('sg_set_a', 2))
    rmSync(join(folder, 'b.json'))
    const changed = await run('skills plan set --set shop')
    expect(changed.out).toBe(
      '~ sg_set_a  set/a.json: credits_per_call 1 → 2\n  sg_set_b is not among the files; --prune deletes it\n' +
        '! sg_set_a breaks: The price rises from 1 to 2 credits.\n' +
        '  sg_set_a: warning: credits_per_call: was 1 and is 2 now, as the text says\n',
    )
    const prune = 'skills apply set --set shop --prune'
    expect(await run(prune)).toMatchObject({ code: 2, err: expect.stringContaining('--yes') })
    expect(await run(prune, { answers: ['n'] })).toMatchObject({ code: 1 })
    expect((await json('skills show sg_set_a')).version).toBe(1)
    expect(await run(prune, { answers: ['y'] })).toMatchObject({ code: 0 })
    expect(await run('skills show sg_set_b')).toMatchObject({ code: 1 })
    expect((await json('skills export sg_set_a')).credits_per_call).toBe(2)
  })

  test('a set with one bad file changes nothing, and the refusal names the file', async () => {
    const folder = join(home, 'bad')
    mkdirSync(folder)
    writeFileSync(join(folder, 'good.json'), skill('sg_good', 1))
    writeFileSync(join(folder, 'broken.json'), '{"id":"sg_broken"}')
    const { code, out } = await run('skills apply bad --set bad')
    expect([code, out]).toEqual([1, expect.stringContaining('bad/broken.json is refused')])
    expect(await run('skills show sg_good')).toMatchObject({ code: 1 })
    expect(await run('skills plan nowhere.json')).toMatchObject({ code: 2 })
  })
})

describe('a test of a skill', () => {
  test('a stored skill tells its request without sending it, and with --send its result', async () => {
    const { code, out } = await run('skills test sg_weather city=Oslo --as demo')
    expect([code, out]).toEqual([0, expect.stringMatching(/^request {2}(GET|POST) http:\/\/127/)])
    expect(out).toMatch(/\nprice {4}0\.5, of \d+(\.\d+)? credits; /)
    const sent = await run('skills test sg_weather city=Oslo --as demo --send')
    expect([sent.code, sent.out]).toEqual([0, expect.stringMatching(/\nresult {3}.*Oslo/)])
    const told = await json('skills test sg_echo text=007')
    expect(JSON.parse(told.request.body)).toEqual({ text: '007' })
  })

  test('a call that would be refused exits with 1 and says why, also of a file that is not stored', async () => {
    expect(await run('skills test sg_weather')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^refused {2}invalid_arguments: /),
    })
    const skill = {
      id: 'sg_unstored',
      meta: { name: 'Unstored', description: 'Of a test.' },
      config: {
        endpoint: 'https://api.example.com/x',
        method: 'GET',
        headers: { Authorization: 'Bearer {{secrets.NO_SUCH}}' },
      },
      credits_per_call: 1,
    }
    const line = 'skills test - --source official --as demo'
    const { code, out } = await run(line, { stdin: JSON.stringify(skill) })
    expect([code, out]).toEqual([1, expect.stringContaining('secret   NO_SUCH missing')])
    expect(await run('skills show sg_unstored')).toMatchObject({ code: 1 })
    expect(await run('skills test -', { stdin: '[]' })).toMatchObject({ code: 2 })
    expect(await run('skills test sg_weather city')).toMatchObject({ code: 2 })
  })
})

describe('import openapi', () => {
  const imports = (verb: string, more = '') =>
    `import openapi ${verb} ${portalUrl} --prefix shop --credits 1 ${more}`

  test('an import plans, applies what is selected, finds no drift, and tells a change by its exit code', async () => {
    served.body = documentOf({
      '/pets': { get: operation('listPets', { tags: ['pets'] }), post: operation('addPet') },
      '/orders': { get: operation('listOrders') },
    })
    const plan = await run(imports('plan', '--tag pets'))
    expect([plan.code, plan.out, plan.err]).toEqual([
      0,
      expect.stringMatching(
        /^CHANGE .*\nadded +sg_shop_listPets +GET \/pets +1 +\d+ +GET \/pets\n1 new tool calls shop\.example\n$/,
      ),
      expect.stringContaining('1 added; 2 of 3 operations not selected.'),
    ])
    expect(await run(imports('apply', '--tag pets'))).toMatchObject({ code: 0 })
    expect(await run(imports('check', '--tag pets'))).toMatchObject({ code: 0, out: '' })
    served.body = documentOf({
      '/pets': { get: operation('listPets', { tags: ['pets'], summary: 'All pets' }) },
    })
    const drifted = await run(imports('check', '--tag pets'))
    expect(drifted.code).toBe(2)
    expect(drifted.out).toMatch(/changed +sg_shop_listPets/)
  })

  test('a document of 20 MB is imported from, and the gateway gets what was selected', async () => {
    const filler = 'x'.repeat(20_000)
    const many = Object.fromEntries(
      Array.from({ length: 1_000 }, (_, index) => [
        `/filler/${index}`,
        { get: operation(`filler${index}`, { description: filler }) },
      ]),
    )
    served.body = documentOf({ ...many, '/pets': { get: operation('listPets') } })
    expect(served.body.length).toBeGreaterThan(20_000_000)
    const { code, err } = await run(imports('plan', '--operation listPets'))
    expect([code, err]).toEqual([
      0,
      expect.stringContaining('1000 of 1001 operations not selected'),
    ])
    const all = await run(imports('plan', '--all'))
    expect([all.code, all.err]).toEqual([2, expect.stringContaining('4000000 at most')])
  })

  test('an import refuses what is no document, an address that fails, and options that contradict', async () => {
    served.body = 'a: ['
    expect(await run(imports('plan'))).toMatchObject({
      code: 1,
      err: expect.stringContaining('neither JSON nor YAML'),
    })
    served.status = 404
    expect(await run(imports('plan'))).toMatchObject({
      code: 1,
      err: `${portalUrl} answers 404.\n`,
    })
    served.status = 200
    expect(await run(`import openapi plan ${portalUrl}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--prefix is missing'),
    })
    writeFileSync(join(home, 'rules.json'), '{"include":[{"tags":"pets"}]}')
    for (const wrong of [
      '--selection rules.json',
      '--selection rules.json --tag pets',
      '--variable region',
      '--credits much',
      '--method FETCH',
    ]) {
      expect(await run(imports('plan', wrong)), wrong).toMatchObject({ code: 2 })
    }
  })

  test('an import takes overlay and selection from files, and names breaking changes', async () => {
    served.body = documentOf({ '/orders': { get: operation('listOrders') } })
    writeFileSync(join(home, 'rules.json'), '{"include":[{"paths":["/orders"]}]}')
    writeFileSync(
      join(home, 'overlay.yaml'),
      'overlay: 1.0.0\nactions:\n  - target: $.paths["/orders"].get\n    update: {summary: Curated}\n',
    )
    writeFileSync(
      join(home, 'overlay.json'),
      JSON.stringify({
        overlay: '1.0.0',
        actions: [{ target: "$.paths['/orders'].get", update: { summary: 'Curated' } }],
      }),
    )
    const line = imports('plan', '--selection rules.json --overlay overlay.json').replace(
      '--prefix shop',
      '--prefix orders',
    )
    const { added } = await json(line)
    expect(added).toEqual([expect.objectContaining({ operation: 'GET /orders' })])
    const apply = line.replace('plan', 'apply')
    expect((await run(apply)).code).toBe(0)
    expect((await json('skills export sg_orders_listOrders')).meta.name).toBe('Curated')
    served.body = documentOf({ '/orders': { get: operation('otherOrders') } })
    expect(await run(apply)).toMatchObject({
      code: 1,
      err: expect.stringContaining('--allow-breaking'),
    })
    expect((await run(`${apply} --allow-breaking`)).code).toBe(0)
  })
})
