/** What `import openapi` shows, asks and refuses, against a twin in memory. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FIELDS, LEFT_OUT_WORDS } from '../../cli/openapi/import-words.ts'
import type { Choice } from '../../cli/terminal/shell.ts'
import { LEFT_OUT_REMEDIES } from '../../core/openapi/left-out.ts'
import { APPLY_ASKED } from '../../lambdas/admin/schemas/import-schemas.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import { runLine, type ShellOptions } from './test-shell.ts'

let home = ''
let twin: Twin
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-import-'))
  const options = { ...DEFAULT_OPTIONS, port: 0, data: home, memory: true }
  twin = await startTwin(options, { call: () => {}, note: () => {} })
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

/** Words of a line are separated by spaces; `+` in a word is a space. */
function run(line: string, more: ShellOptions = {}) {
  return runLine(
    line.split(' ').map((word) => word.replaceAll('+', ' ')),
    {
      home,
      cwd: home,
      env: {
        SKILLGATE_URL: twin.origin,
        SKILLGATE_ADMIN_KEY: twin.credentials.adminKey,
        SKILLGATE_KEY: twin.credentials.key,
        NO_COLOR: '1',
      },
      ...more,
    },
  )
}

const get = (operationId: string, more: object = {}) => ({
  get: { operationId, responses: {}, ...more },
})

function write(paths: object, more: object = {}): void {
  const servers = [{ url: 'https://shop.example/v1' }]
  const document = {
    openapi: '3.1.0',
    info: { title: 'Shop', version: '1' },
    servers,
    paths,
    ...more,
  }
  writeFileSync(join(home, 'api.json'), JSON.stringify(document))
}

const SHOP = {
  '/pets': { ...get('listPets', { tags: ['pets'], summary: 'List <b>all</b> pets. Pages.' }) },
  '/pets/{id}': { ...get('showPet', { tags: ['pets'], summary: 'Show a pet' }) },
  '/orders': { ...get('listOrders', { tags: ['orders'] }) },
  '/old': { ...get('listOld', { tags: ['orders'], deprecated: true }) },
  '/x': { ...get('sendXml'), options: {} },
  '/free': { get: {} },
}

describe('import openapi ls', () => {
  test('lists operations with the tokens that the plan counts, and what cannot be a tool', async () => {
    write(SHOP)
    const { code, out } = await run('import openapi ls api.json --json')
    const rows = JSON.parse(out)
    expect(code).toBe(0)
    expect(
      rows.map((row: { [name: string]: unknown }) => [row['operation'], row['state']]),
    ).toEqual([
      ['listOrders', 'ok'],
      ['listOld', 'deprecated'],
      ['listPets', 'ok'],
      ['showPet', 'ok'],
      ['sendXml', 'ok'],
      ['GET /free', 'ok'],
      ['OPTIONS /x', 'no tool'],
    ])
    const plan = await run('import openapi plan api.json --prefix api --credits 0 --all --json')
    const listed = JSON.parse(plan.out).listed
    for (const { operation, tokens } of listed) {
      const row = rows.find(
        ({ method, path }: { method: string; path: string }) => `${method} ${path}` === operation,
      )
      expect(row.tokens).toBe(tokens)
    }
    expect(listed).toHaveLength(5)
  })

  test('sums up tags on stderr, and takes only what is selected', async () => {
    write(SHOP)
    const { err, out } = await run('import openapi ls api.json --tag pets')
    expect(out).toMatch(/^TAG +OPERATION +METHOD PATH +TOKENS +STATE +SUMMARY\npets /)
    expect(err).toMatch(
      /^pets: 2 operations, \d+ tokens of a list\nAll: 2 operations, \d+ tokens of a list\.\n$/,
    )
  })
})

test.each([80, 120])('an import prints at %i columns what its snapshot has', async (columns) => {
  const shown: string[] = []
  const api = {
    '/pets': get('listPets', {
      tags: ['pets'],
      summary: 'List all pets of the shop, <b>page</b> by page, with those that were sold',
      parameters: [{ name: 'größe', in: 'query', schema: { type: 'integer' } }],
    }),
    '/pets/{petId}/appointments/{appointmentId}': { get: { tags: ['pets'], summary: 'Show one' } },
    '/old': get('listOld', { deprecated: true }),
  }
  for (const line of ['ls api.json', 'plan api.json --prefix shown --credits 1 --all']) {
    write(api)
    const { code, err, out } = await run(`import openapi ${line}`, { columns })
    shown.push(
      `$ skillgate import openapi ${line}\n${out}--- stderr\n${err}--- exit code ${code}\n`,
    )
  }
  const text = shown.join('\n').replace(/\r[^\r\n]*… \d+ s(?=\r)/g, '')
  await expect(text).toMatchFileSnapshot(`snapshots/import-at-${columns}-columns.txt`)
})

describe('a choice on a terminal', () => {
  const LINE = 'import openapi plan api.json --prefix choice --credits 1'

  test('offers operations by tag with a running sum, and says the options that choose the same', async () => {
    write(SHOP)
    let seen: Choice | undefined
    const options = {
      answers: [],
      choices: [['tag:pets']],
      onChoice: (one: Choice) => (seen = one),
    }
    const { code, err } = await run(LINE, options)
    expect([code, err]).toEqual([
      0,
      expect.stringContaining(
        'The same without questions: skillgate import openapi plan api.json --prefix choice --credits 1 --tag pets\n2 added; 4 of 7 operations not selected.',
      ),
    ])
    expect(seen?.options.map(({ value }) => value)).toEqual([
      'all',
      'tag:pets',
      'operation:listPets',
      'operation:showPet',
      'tag:orders',
      'operation:listOrders',
      'tag:without a tag',
      'operation:sendXml',
      'operation:GET /free',
    ])
    expect(seen?.describe(['tag:pets', 'operation:GET /free'])).toMatch(
      /Chosen: 3 operations, \d+ tokens of a list$/,
    )
  })

  test.each([
    [['operation:listPets', 'operation:GET /free'], "--operation listPets --operation 'GET /free'"],
    [['tag:pets', 'tag:orders', 'tag:without a tag'], '--all'],
    [['all'], '--all'],
    [
      ['operation:listPets', 'operation:showPet', 'operation:listOrders'],
      '--tag pets --tag orders',
    ],
  ])('of %j is written as %s', async (chosen, flags) => {
    write(SHOP)
    const { err } = await run(LINE, { answers: [], choices: [chosen] })
    expect(err).toContain(`--credits 1 ${flags}\n`)
  })

  test('that is given up sends nothing', async () => {
    write(SHOP)
    const given = await run(LINE, { answers: [], choices: [undefined] })
    expect(given).toMatchObject({ code: 130, out: '', err: 'Nothing was sent.\n' })
  })

  test('is not asked in a pipe, which takes 40 operations and refuses one more', async () => {
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`/${n}`, get(`o${n}`)]))
    write(many(40))
    expect((await run(LINE)).code).toBe(0)
    write(many(41))
    expect(await run(LINE)).toEqual({
      code: 2,
      out: '',
      err:
        'The document has 41 operations, and a model reads the whole list.\n' +
        'Select with --tag or --operation, or take all with --all. skillgate import openapi ls api.json lists them.\n',
    })
  })

  test('offers https for a server of http', async () => {
    write({ '/a': get('readA') }, { servers: [{ url: 'http://shop.example/v1' }] })
    const { code, err, out } = await run(LINE, { answers: [''] })
    expect(err).toContain(
      'The server is http://shop.example/v1. Use https://shop.example/v1 instead? [Y/n]',
    )
    expect(err).toContain('--base-url https://shop.example/v1')
    expect([code, out]).toEqual([0, expect.stringContaining('1 new tool calls shop.example')])
    const refused = await run(LINE)
    expect(refused.code).toBe(1)
    expect(refused.err).toContain(
      '0 tools: 1 operation has a server of http (--base-url https://shop.example/v1 takes its place).',
    )
  })
})

/** Names of the admin API's fields, which the command line does not have. */
const REST_WORDS =
  /selection\.[a-z]|\bbaseUrl|serverVariables|\bdefaults|timeoutMs|allowBreaking|deleteDisabled|outputSchemas|operationIds|\bnames:|credits_per_call|config\.|\/meta|errors\[/

describe('a refusal', () => {
  const LINE = 'import openapi apply api.json --prefix words --credits 1'
  const PETS = { '/pets': get('listPets', { tags: ['pets'] }), '/a': get('readA') }
  const refusals: readonly (readonly [line: string, words: string, paths?: object])[] = [
    [
      '--path /**',
      '40 at most',
      Object.fromEntries(Array.from({ length: 41 }, (_, n) => [`/${n}`, get(`o${n}`)])),
    ],
    ['--variable nope=x', '--variable nope is no variable'],
    ['--base-url ftp://x', '--base-url must be'],
    ['--credits 9999999999', '--credits must be'],
    ['--timeout-ms 0', '--timeout-ms must be'],
    ['--name listPets=a+b', '--name listPets gets a name that no tool can have'],
    ['--name listPet=a', 'Did you mean listPets?'],
    ['--tag pet', 'Did you mean pets?'],
    ['--operation listPest', 'Did you mean listPets?'],
    ['--prefix Bad', '--prefix must be'],
    ['--selection rules.json', 'Correct --tag'],
    [
      '',
      'refers to other.json',
      { '/a': { get: { operationId: 'a', requestBody: { $ref: 'other.json' } } } },
    ],
  ]

  test.each(refusals.map(([line, words, paths = PETS]) => ({ line, words, paths })))(
    'of "$line" has the words of the command line: $words',
    async ({ line, paths, words }) => {
      write(paths)
      writeFileSync(join(home, 'rules.json'), '{"include":[{"tag":["pets"]}]}')
      const { code, err } = await run(`${LINE}${line === '' ? '' : ` ${line}`}`)
      expect([1, 2]).toContain(code)
      expect(err).toContain(words)
      expect(err).not.toMatch(REST_WORDS)
    },
  )

  test('of a breaking change has a line for each change, and the option that allows it', async () => {
    write(PETS)
    expect((await run(LINE)).code).toBe(0)
    write({ '/pets': get('listPets', { tags: ['pets'] }) })
    expect(await run(LINE)).toEqual({
      code: 1,
      out: '',
      err:
        'The document breaks tools that agents use. Nothing was changed.\n' +
        '  sg_words_readA: The operation GET /a is gone.\n' +
        '--allow-breaking applies it all the same.\n',
    })
  })

  const LEFT: { readonly [code: string]: readonly [paths: object, more: object, line: string] } = {
    deprecated: [{ '/a': get('a', { deprecated: true }) }, {}, '--credits 1'],
    internal: [{ '/a': get('a', { 'x-internal': true }) }, {}, '--credits 1'],
    skipped: [{ '/a': get('a', { 'x-skillgate': { skip: true } }) }, {}, '--credits 1'],
    no_server: [{ '/a': get('a') }, { servers: [{ url: '/v1' }] }, '--credits 1'],
    server_variable: [
      { '/a': get('a') },
      { servers: [{ url: 'https://{x}.test' }] },
      '--credits 1',
    ],
    http_server: [{ '/a': get('a') }, { servers: [{ url: 'http://a.test' }] }, '--credits 1'],
    no_price: [{ '/a': get('a') }, {}, ''],
    id_taken: [{ '/a': get('hand') }, {}, '--credits 1'],
    unsupported: [{ '/a': { options: {} } }, {}, '--credits 1'],
  }

  test.each(Object.keys(LEFT_OUT_REMEDIES))(
    'of every operation (%s) is 0 tools, exit code 1, and the reason with its remedy',
    async (code) => {
      const [paths, more, line] = LEFT[code] ?? [{}, {}, '']
      write(paths, more)
      const skill = {
        id: 'sg_left_hand',
        meta: { name: 'x', description: 'x', parameters: { type: 'object', properties: {} } },
        config: { endpoint: 'https://a.example/x' },
        credits_per_call: 1,
      }
      await run('skills push - --source official', { stdin: JSON.stringify(skill) })
      const shown = await run(`import openapi plan api.json --prefix left ${line}`.trim())
      const { one, remedy = '' } = LEFT_OUT_WORDS[code as keyof typeof LEFT_OUT_WORDS]
      expect(shown.code).toBe(1)
      expect(shown.err).toContain(`0 tools: 1 operation ${one}`)
      expect(shown.err).toContain(remedy.split(' ')[0])
      expect(shown.out + shown.err).not.toMatch(REST_WORDS)
    },
  )

  test('has words for every field that the admin API judges', () => {
    const { defaults, ...fields } = Object(APPLY_ASKED['properties'])
    const pointers = [
      ...Object.keys(fields).map((name) => `/${name}`),
      ...Object.keys(defaults.properties).map((name) => `/defaults/${name}`),
    ]
    for (const pointer of pointers) {
      expect([pointer, FIELDS.some((words) => pointer.startsWith(words.pointer))]).toEqual([
        pointer,
        true,
      ])
    }
  })
})

describe('a plan', () => {
  const LINE = 'import openapi plan api.json --prefix diff --credits 1'
  const APPLY = LINE.replace('plan', 'apply')

  test('shows a changed text word by word, what is no longer selected, and what is gone', async () => {
    write({
      '/a': get('readA', {
        summary: 'Read all of A',
        parameters: [
          { name: 'q', in: 'query', description: 'Any word', schema: { type: 'string' } },
        ],
      }),
      '/b': get('readB', { tags: ['b'] }),
      '/c': get('readC'),
    })
    expect((await run(APPLY)).code).toBe(0)
    write({
      '/a': get('readA', {
        summary: 'Read some of A',
        parameters: [{ name: 'q', in: 'query', description: 'A word', schema: { type: 'string' } }],
      }),
      '/b': get('readB', { tags: ['b'] }),
    })
    const { code, out } = await run(`${LINE} --exclude-tag b`)
    expect(code).toBe(0)
    expect(out).toContain('sg_diff_readA: description: Read [-all-]{+some+} of A\n')
    expect(out).toContain('sg_diff_readA: argument q description: [-Any-]{+A+} word\n')
    expect(out).toContain('sg_diff_readB: disabled, because GET /b is no longer selected\n')
    expect(out).toContain('sg_diff_readC: disabled, because GET /c is gone from the document\n')
    const same = await run(`${APPLY} --allow-breaking --exclude-tag b`)
    expect(same.code).toBe(0)
    const again = await run(`${LINE} --exclude-tag b`)
    expect(again.out).toBe('')
    expect(again.err).toMatch(
      /^1 unchanged; 1 of 2 operations not selected\. The tools are \d+ tokens of a list\.\n$/,
    )
  })

  test('keeps a chosen name in later imports, and tells which names are generated', async () => {
    write({ '/users/{id}': { get: {} }, '/b': get('readB') })
    const first = await run(`${APPLY.replace('diff', 'named')} --name GET+/users/{id}=show_user`)
    expect(first.out).toContain('sg_named_show_user')
    const later = await run(`${LINE.replace('diff', 'named')} --json`)
    expect(JSON.parse(later.out)).toMatchObject({
      added: [],
      changed: [],
      removed: [],
      imported: 2,
    })
    const other = await run(LINE.replace('diff', 'other'))
    expect(other.out).toContain(
      "sg_other_get_users_id: the name is made of method and path; choose one: --name 'GET /users/{id}=…'\n",
    )
  })

  test('shows with --as-model what a model reads of each tool', async () => {
    write(SHOP)
    const { out } = await run(`${LINE.replace('diff', 'model')} --tag pets --as-model`)
    expect(out).toMatch(
      /^sg_model_listPets\(\)\n {2}List \*\*all\*\* pets\. \(1 credit, \d+ tokens\)\nsg_model_showPet\(id: string\)\n {2}Show a pet \(1 credit, \d+ tokens\)\n$/,
    )
  })
})
