/** Guides from the folder of an administrator to agents of each era and transport. */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createUser, syncSkill } from './admin.ts'
import { connectAgent } from './agent.ts'
import { bearer, postJson } from './http.ts'
import { connectStreamable } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { runAtTwin } from './twin-shell.ts'

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'guides')
const MAIN_URI = 'skill://sample-tools/SKILL.md'

let twin: Twin
let home = ''

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-guides-'))
  twin = await startTwin(['--memory'])
  cpSync(EXAMPLES, join(home, 'guides'), { recursive: true })
  expect((await run('guides push guides/sample-tools')).out).toMatch(/sample-tools +1 +pushed/)
})
afterAll(async () => {
  await twin.stop()
  rmSync(home, { recursive: true, force: true })
})

const run = (line: string) => runAtTwin(twin, home, line)

/** A request of 2026-07-28; answers its result, or its error. */
async function ask(method: string, params: object = {}, key = twin.key) {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const { uri, name } = { uri: undefined, name: undefined, ...params }
  const answer = await postJson(
    twin.mcp,
    { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } },
    {
      ...bearer(key),
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(/^(resources\/read|prompts\/get)$/.test(method)
        ? { 'mcp-name': String(uri ?? name) }
        : {}),
    },
  )
  const { error, result } = answer.json() as { error?: unknown; result?: Answer }
  return { error, result: result ?? {} }
}

type Answer = {
  readonly skills?: readonly Entry[]
  readonly skill?: Entry
  readonly resources?: readonly { readonly uri: string; readonly mimeType: string }[]
  readonly contents?: readonly { readonly text: string }[]
  readonly ttlMs?: number
}
type Entry = {
  readonly uri: string
  readonly resources: readonly { uri: string; digest: string; size: number }[]
}

function sha256(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

async function readText(uri: string, key = twin.key): Promise<string> {
  const { result } = await ask('resources/read', { uri }, key)
  return result.contents?.[0]?.text ?? ''
}

describe('an agent of 2026-07-28', () => {
  test('gets each file with the digest and the size that the entry names', async () => {
    const { result } = await ask('skills/list')
    const entry = result.skills?.find(({ uri }) => uri === MAIN_URI)
    expect(entry).toMatchObject({ frontmatter: { name: 'sample-tools' } })
    expect(entry?.resources.map(({ uri }) => uri)).toEqual([
      MAIN_URI,
      'skill://sample-tools/references/errors.md',
    ])
    for (const { digest, size, uri } of entry?.resources ?? []) {
      const text = await readText(uri)
      expect([sha256(text), Buffer.byteLength(text)]).toEqual([digest, size])
    }
    expect((await ask('skills/get', { uri: MAIN_URI })).result).toMatchObject({
      skill: entry,
      ttlMs: 60_000,
      cacheScope: 'private',
    })
  })

  test('reads today’s prices, and their digest, after a price has changed', async () => {
    await syncSkill(twin, { id: 'sg_priced', at: 'weather', price: 1 })
    expect(await readText(MAIN_URI)).toMatch(/\| `sg_priced` \| sg_priced \| 1 \|\n/)
    await run('api PATCH skills/official/sg_priced -f credits=2.5')
    const text = await readText(MAIN_URI)
    expect(text).toMatch(/\| `sg_priced` \| sg_priced \| 2\.5 \|\n/)
    const { result } = await ask('skills/get', { uri: MAIN_URI })
    expect(result.skill?.resources[0]?.digest).toBe(sha256(text))
  })

  test('reads folders, and gets -32602 with the URI for anything else', async () => {
    const root = await ask('resources/directory/read', { uri: 'skill://sample-tools' })
    expect(root.result.resources?.map(({ mimeType, uri }) => [uri, mimeType])).toEqual([
      [MAIN_URI, 'text/markdown'],
      ['skill://sample-tools/references', 'inode/directory'],
    ])
    for (const [method, uri] of [
      ['resources/directory/read', MAIN_URI],
      ['resources/directory/read', 'skill://sample-tools/reference'],
      ['resources/read', 'skill://sample-tools/../sample-tools/SKILL.md'],
      ['resources/read', 'skill://sample-tools/references'],
      ['resources/read', 'skill:///SKILL.md'],
      ['skills/get', 'skill://sample-tools/references/errors.md'],
    ] as const) {
      expect((await ask(method, { uri })).error).toMatchObject({ code: -32602, data: { uri } })
    }
  })
})

describe('a guide with groups', () => {
  test('is in no list of others, and none of its files is read by them', async () => {
    const folder = join(home, 'secret-tools')
    mkdirSync(folder)
    const head = '---\nname: secret-tools\ndescription: For finance.\n'
    const text = `${head}metadata:\n  skillgate-groups: finance, ops\n---\n\nHello.\n`
    writeFileSync(join(folder, 'SKILL.md'), text)
    await run('guides push secret-tools')
    const uri = 'skill://secret-tools/SKILL.md'
    const { key, uid } = await createUser(twin, { username: 'fin', credits: 1 })
    const isListed = async (who: string) =>
      JSON.stringify([
        (await ask('skills/list', {}, who)).result,
        (await ask('resources/list', {}, who)).result,
        (await ask('prompts/list', {}, who)).result,
      ]).match(/secret-tools/g) ?? []
    expect(await isListed(key)).toEqual([])
    for (const [method, params] of [
      ['resources/read', { uri }],
      ['skills/get', { uri }],
      ['resources/directory/read', { uri: 'skill://secret-tools' }],
      ['prompts/get', { name: 'secret-tools' }],
    ] as const) {
      expect((await ask(method, params, key)).error).toMatchObject({ code: -32602 })
    }
    await run(`groups set ${uid} ops`)
    expect((await isListed(key)).length).toBeGreaterThan(0)
    expect(await readText(uri, key)).toBe(text)
  })
})

describe('the official client', () => {
  test('lists and reads guides as resources and prompts over Streamable HTTP', async () => {
    const { client } = await connectStreamable(twin.mcp, { key: twin.key })
    const { resources } = await client.listResources()
    expect(resources.find(({ uri }) => uri === MAIN_URI)).toMatchObject({
      name: 'sample-tools',
      mimeType: 'text/markdown',
      description: expect.stringMatching(/^When to use/),
    })
    expect((await client.listResourceTemplates()).resourceTemplates).toEqual([])
    const { contents } = await client.readResource({ uri: MAIN_URI })
    expect(contents).toMatchObject([{ uri: MAIN_URI, text: expect.stringMatching(/^---\nname:/) }])
    const names = (await client.listPrompts()).prompts.map(({ name }) => name)
    expect(names).toContain('sample-tools')
    expect(await client.getPrompt({ name: 'sample-tools' })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text' } }],
    })
    await expect(client.readResource({ uri: 'skill://none/SKILL.md' })).rejects.toMatchObject({
      code: -32002,
      data: { uri: 'skill://none/SKILL.md' },
    })
    await client.close()
  })

  test('does so over HTTP+SSE, also without a key', async () => {
    const agent = await connectAgent(twin.sse)
    const { resources } = await agent.client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain(MAIN_URI)
    const { contents } = await agent.client.readResource({ uri: MAIN_URI })
    expect(contents).toMatchObject([{ mimeType: 'text/markdown' }])
    await expect(agent.client.readResource({ uri: 'x:y' })).rejects.toMatchObject({ code: -32002 })
    await agent.close()
  })
})

describe('the command line', () => {
  test('brings a version back, and a deleted guide too', async () => {
    const folder = join(home, 'turned')
    mkdirSync(folder)
    const write = (says: string) =>
      writeFileSync(
        join(folder, 'SKILL.md'),
        `---\nname: turned\ndescription: ${says}\n---\n\n${says}\n`,
      )
    write('First.')
    await run('guides push turned')
    write('Second.')
    expect((await run('guides push turned')).out).toMatch(/turned +2 +pushed/)
    expect((await run('guides push turned')).out).toMatch(/turned +2 +unchanged/)
    await run('guides rollback turned 1')
    expect((await run('guides show turned')).out).toMatch(/version +3\n/)
    expect(await readText('skill://turned/SKILL.md')).toContain('First.')
    await run('guides rm turned --yes')
    expect(await readText('skill://turned/SKILL.md')).toBe('')
    await run('guides rollback turned 2')
    expect(await readText('skill://turned/SKILL.md')).toContain('Second.')
    expect((await run('guides versions turned')).out.match(/^ +\d+ /gm)).toHaveLength(4)
  })

  test('applies the guides beside the skills of a set, and changes nothing if one is faulty', async () => {
    const set = join(home, 'set')
    mkdirSync(join(set, 'guides', 'of-set'), { recursive: true })
    const skill = {
      id: 'sg_of_set',
      meta: { name: 'Of a set', description: 'Says.', parameters: { type: 'object' } },
      config: { endpoint: 'https://api.example/x' },
      credits_per_call: 1,
    }
    writeFileSync(join(set, 'skill.json'), JSON.stringify(skill))
    const main = join(set, 'guides', 'of-set', 'SKILL.md')
    writeFileSync(main, '---\nname: other\ndescription: Says when.\n---\n')
    const faulty = await run('skills apply set --set first')
    expect(faulty).toMatchObject({ code: 1, err: expect.stringContaining('of-set: name: must be') })
    expect((await run('skills show sg_of_set')).code).not.toBe(0)
    writeFileSync(main, '---\nname: of-set\ndescription: Says when.\n---\n')
    expect((await run('skills plan set --set first --check')).code).toBe(2)
    expect((await run('skills apply set --set first')).out).toMatch(/^\+ guide of-set\n/)
    expect((await run('skills plan set --set first --check')).code).toBe(0)
    expect((await run('skills apply set --set second --overwrite')).code).toBe(1)
    rmSync(join(set, 'guides'), { recursive: true })
    expect((await run('skills apply set --set first --prune --yes')).out).toMatch(
      /^- guide of-set\n/,
    )
  })
})
