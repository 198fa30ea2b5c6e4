/** Rows about resources, prompts and guides. */
import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../core/json/json.ts'
import { askAdmin } from '../lambdas/admin/admin-client.ts'
import { LEGACY_VERSIONS, memberOf, type Ready, ready, VERSIONS } from './door.ts'

let at: Ready

const MAIN = 'skill://sea-tools/SKILL.md'
const HIDDEN = 'skill://gold-tools/SKILL.md'

beforeAll(async () => {
  at = await ready()
  await push('sea-tools', 'description: At sea.', '\n<!-- skillgate:prices sg_sunny -->\n')
  await push('gold-tools', 'description: Gold.\nmetadata:\n  skillgate-groups: gold', '\n')
})

async function push(name: string, fields: string, body: string): Promise<void> {
  const files = [
    { path: 'SKILL.md', text: `---\nname: ${name}\n${fields}\n---\n${body}` },
    { path: 'more/deep.bin', base64: '/wAB' },
  ]
  const { status } = await askAdmin(at.world, 'PUT', `/guides/${name}`, { body: { files } })
  expect(status).toBe(200)
}

type Version = (typeof VERSIONS)[number]

/** The modern era repeats the name of a resource or a prompt in a header. */
async function ask(version: Version, method: string, params: JsonObject = {}) {
  const name = params['uri'] ?? params['name']
  const isNamed = /^(resources\/read|prompts\/get)$/.test(method) && typeof name === 'string'
  const headers = isNamed && version === '2026-07-28' ? { 'mcp-name': name } : {}
  return (await at.ask(version, method, params, { headers })).json()
}

async function resultOf(version: Version, method: string, params?: JsonObject) {
  return memberOf(await ask(version, method, params), 'result')
}

async function capabilitiesOf(version: Version): Promise<JsonObject> {
  const isModern = version === '2026-07-28'
  const params = { protocolVersion: version, capabilities: {}, clientInfo: {} }
  const result = await resultOf(
    version,
    isModern ? 'server/discover' : 'initialize',
    isModern ? {} : params,
  )
  const { capabilities } = result
  return isJsonObject(capabilities) ? capabilities : {}
}

describe.each(VERSIONS)('in %s', (version) => {
  // Holds: RES-1, PROMPT-1, GUIDE-1
  test('resources, prompts and the extension are declared and answered', async () => {
    expect(await capabilitiesOf(version)).toMatchObject({
      resources: {},
      prompts: {},
      extensions: {
        'io.modelcontextprotocol/skills': { directoryRead: true },
        'io.modelcontextprotocol/ui': {},
      },
    })
    expect(await resultOf(version, 'resources/list')).toMatchObject({
      resources: [{ uri: MAIN, name: 'sea-tools', mimeType: 'text/markdown' }],
    })
    expect(await resultOf(version, 'resources/templates/list')).toMatchObject({
      resourceTemplates: [],
    })
    expect(await resultOf(version, 'prompts/list')).toMatchObject({
      prompts: [{ name: 'sea-tools', description: 'At sea.' }],
    })
    expect(await resultOf(version, 'skills/list')).toMatchObject({ skills: [{ uri: MAIN }] })
  })

  // Holds: GUIDE-2, GUIDE-5
  test('an entry has each file with the digest of what a read answers', async () => {
    const { skill } = await resultOf(version, 'skills/get', { uri: MAIN })
    const { contents } = await resultOf(version, 'resources/read', { uri: MAIN })
    const text = textIn(contents)
    expect(text).toContain('| `sg_sunny` | sg_sunny | 1 |')
    expect(skill).toEqual({
      uri: MAIN,
      frontmatter: { name: 'sea-tools', description: 'At sea.' },
      resources: [
        {
          uri: MAIN,
          digest: `sha256:${createHash('sha256').update(text).digest('hex')}`,
          size: Buffer.byteLength(text),
        },
        {
          uri: 'skill://sea-tools/more/deep.bin',
          digest: 'sha256:942e1e2a66a427b6551732f758bc314f22b9cdec9365a3425c9184de299392b5',
          size: 3,
        },
      ],
    })
  })

  // Holds: GUIDE-6
  test('a folder answers its children, and a file is none', async () => {
    const uri = 'skill://sea-tools'
    expect(await resultOf(version, 'resources/directory/read', { uri })).toMatchObject({
      resources: [
        { uri: MAIN, mimeType: 'text/markdown' },
        { uri: 'skill://sea-tools/more', mimeType: 'inode/directory' },
      ],
    })
    expect(await ask(version, 'resources/directory/read', { uri: MAIN })).toMatchObject({
      error: { code: -32602, data: { uri: MAIN } },
    })
  })

  // Holds: RES-4, RES-5
  test('what others may read is as unknown as what does not exist', async () => {
    for (const uri of [
      HIDDEN,
      'skill://sea-tools/more/../SKILL.md',
      'skill://SEA-TOOLS/SKILL.md',
    ]) {
      for (const method of ['resources/read', 'skills/get', 'resources/directory/read']) {
        expect(await ask(version, method, { uri })).toMatchObject({ error: { data: { uri } } })
      }
    }
    expect(await ask(version, 'prompts/get', { name: 'gold-tools' })).toMatchObject({
      error: { code: -32602 },
    })
  })

  // Holds: RES-6
  test('a cursor that no list gave is -32602', async () => {
    for (const method of ['resources/list', 'prompts/list', 'skills/list']) {
      expect(await ask(version, method, { cursor: '!' })).toMatchObject({ error: { code: -32602 } })
    }
  })

  // Holds: PROMPT-2
  test('an unknown prompt and arguments that are no texts are -32602', async () => {
    const name = 'sea-tools'
    for (const params of [
      { name: 'none' },
      { name, arguments: { a: 1 } },
      { name, arguments: 1 },
    ]) {
      expect(await ask(version, 'prompts/get', params)).toMatchObject({ error: { code: -32602 } })
    }
  })
})

// Holds: RES-2
test('an unknown URI is -32602 with the URI in 2026-07-28', async () => {
  expect(await ask('2026-07-28', 'resources/read', { uri: 'x:y' })).toMatchObject({
    error: { code: -32602, data: { uri: 'x:y' } },
  })
})

// Holds: RES-3
test.each(LEGACY_VERSIONS)('an unknown URI is -32002 with the URI in %s', async (version) => {
  expect(await ask(version, 'resources/read', { uri: 'x:y' })).toMatchObject({
    error: { code: -32002, data: { uri: 'x:y' } },
  })
})

// Holds: RES-7
test('lists and reads say for how long and by whom they may be cached, and prompts do not', async () => {
  for (const [method, params] of [
    ['resources/list', {}],
    ['resources/templates/list', {}],
    ['prompts/list', {}],
    ['skills/list', {}],
    ['skills/get', { uri: MAIN }],
    ['resources/read', { uri: MAIN }],
    ['resources/directory/read', { uri: 'skill://sea-tools' }],
  ] as const) {
    const result = await resultOf('2026-07-28', method, params)
    expect([method, result['ttlMs'], result['cacheScope']]).toEqual([method, 60_000, 'private'])
    expect(await resultOf('2025-11-25', method, params)).not.toHaveProperty('ttlMs')
  }
  const prompt = await resultOf('2026-07-28', 'prompts/get', { name: 'sea-tools' })
  expect(prompt).not.toHaveProperty('ttlMs')
  expect(prompt).toMatchObject({ messages: [{ role: 'user', content: { type: 'text' } }] })
})

describe('a push', () => {
  // Holds: GUIDE-3
  test('of a front matter with another name is refused, with the file', async () => {
    const files = [{ path: 'SKILL.md', text: '---\nname: other\ndescription: Says.\n---\n' }]
    const answer = await askAdmin(at.world, 'PUT', '/guides/some-tools', { body: { files } })
    expect([answer.status, answer.json['errors']]).toEqual([
      422,
      [
        {
          pointer: '/files/0/text',
          message: 'name: must be some-tools, the id of the guide and the name of its folder',
        },
      ],
    ])
  })

  // Holds: GUIDE-4
  test('of 100 files is taken, and one more is refused', async () => {
    const text =
      '---\nname: many-tools\ndescription: Says.\nmetadata:\n  skillgate-groups: none\n---\n'
    const more = Array.from({ length: 100 }, (_, n) => ({ path: `${n}.txt`, text: '' }))
    const files = [{ path: 'SKILL.md', text }, ...more]
    const taken = { files: files.slice(0, 100) }
    expect((await askAdmin(at.world, 'PUT', '/guides/many-tools', { body: taken })).status).toBe(
      200,
    )
    const refused = await askAdmin(at.world, 'PUT', '/guides/many-tools', { body: { files } })
    expect(refused.status).toBe(422)
  })
})

function textIn(contents: unknown): string {
  const [first]: readonly unknown[] = Array.isArray(contents) ? contents : []
  const { text } = Object(first)
  return typeof text === 'string' ? text : ''
}
