/** The commands of pages for newcomers, as a reader pastes them: each does what its page says. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readText } from './markdown.ts'
import { openCommandLine, type PageTwin, pasted, startPageTwin } from './pasted.ts'

const JOKE = 'examples/skills/joke.json'

let twin: PageTwin

beforeAll(async () => {
  twin = await startPageTwin()
})
afterAll(() => twin.stop())

// One after the other, on one twin: the README comes first, as for a reader.
test('the commands of README.md call a skill, connect a client and add a skill', async () => {
  expect(await pasted(twin, readText('README.md'))).toEqual([
    ['npx', 'skillgate', 'tools'],
    ['npx', 'skillgate', 'call', 'sg_weather', 'city=Oslo'],
    expect.objectContaining({ skillId: 'sg_weather', credits: expect.anything() }),
    ['npx', 'skillgate', 'connect', '--list'],
    ['npx', 'skillgate', 'connect', 'claude-code'],
    expect.arrayContaining(['claude', `${twin.url}/mcp`, `Authorization: Bearer ${twin.key}`]),
    ['npx', 'skillgate', 'skills', 'push', JOKE, '--source', 'official'],
    ['npx', 'skillgate', 'call', 'sg_joke', 'topic=lambdas'],
    expect.objectContaining({ toolName: 'sg_joke', created: true, listed: true, warnings: [] }),
    ['npx', 'cdk', 'bootstrap'],
    ['npx', 'skillgate', 'deploy', '--stage', 'dev'],
  ])
})

test('the commands of docs/admin-api.md all work after those of README.md, but the one shown refused, one for AWS and those of an MCP server that nobody has', async () => {
  const fresh = await startPageTwin(['--login'])
  const answers = await pasted(fresh, readText('README.md'))
    .then(() => pasted(fresh, readText('docs/admin-api.md')))
    .finally(() => fresh.stop())
  const refused = answers.filter((one) => typeof one === 'object' && one !== null && 'code' in one)
  expect(refused).toEqual([
    expect.objectContaining({ detail: expect.stringContaining('/query/lmit') }),
    expect.objectContaining({ detail: expect.stringContaining('no credentials of AWS') }),
    // The plan and the apply ask mcp.example. The page then shows, refreshes, approves and deletes.
    ...Array(2).fill(expect.objectContaining({ upstreamFault: 'unreachable' })),
    ...Array(4).fill(
      expect.objectContaining({ detail: expect.stringContaining('no upstream files') }),
    ),
  ])
  expect(answers.length).toBeGreaterThanOrEqual(16)
})

test('the commands of docs/clients.md give each client the endpoint and the key of the twin', async () => {
  const commands = await pasted(twin, readText('docs/clients.md'))
  const given = expect.arrayContaining([`${twin.url}/mcp`, `Authorization: Bearer ${twin.key}`])
  expect(commands).toEqual([given, given])
})

test('the commands of docs/users.md do for Ada on the command line what they do for Bob with curl', async () => {
  const key = expect.objectContaining({ key: expect.stringMatching(/^sgk_/) })
  const of = (fields: object) => expect.objectContaining(fields)
  const page = (uid: string) => of({ users: [of({ uid })] })
  expect(await pasted(twin, readText('docs/users.md'), openCommandLine(twin))).toEqual([
    of({ uid: 'ada', credits: 25 }),
    key,
    of({ uid: 'bob', credits: 25 }),
    key,
    [of({ uid: 'ada', credits: 25 })],
    of({ uid: 'ada', keys: [expect.anything()] }),
    of({ users: [of({ uid: 'bob', credits: 25 })] }),
    of({ uid: 'bob', keys: [expect.anything()] }),
    of({ granted: true }),
    of({ granted: true }),
    of({ user: of({ uid: 'ada', credits: 32.5 }) }),
    [of({ amount: expect.any(Number) }), expect.anything(), expect.anything()],
    of({ user: of({ uid: 'bob', credits: 32.5 }) }),
    of({ grants: [expect.anything(), expect.anything(), expect.anything()] }),
    [],
    { users: [] },
    [],
    of({ users: [], notCompared: 0 }),
    of({ uid: 'ada', monthlyBudget: of({ limit: 20 }) }),
    of({ uid: 'bob', monthlyBudget: of({ limit: 20 }) }),
    ...Array(6).fill(key),
    [of({ outcome: 'created', tool: 'ada_sg_greet' })],
    of({ toolName: 'bob_sg_greet', created: true, listed: true }),
    of({ uid: 'ada', groups: ['finance', 'ops'] }),
    of({ uid: 'bob', groups: ['finance', 'ops'] }),
    of({ uid: 'ada', list: 'search' }),
    of({ uid: 'bob', list: 'search' }),
    of({ uid: 'ada', state: 'disabled' }),
    [of({ uid: 'ada' })],
    of({ uid: 'ada', state: 'active' }),
    of({ uid: 'bob', state: 'disabled' }),
    page('bob'),
    of({ uid: 'bob', state: 'active' }),
    [],
    of({ entries: [] }),
  ])
})

test('the commands of docs/execute.md run a skill twice, the second time under an Idempotency-Key', async () => {
  const answer = expect.objectContaining({ skillId: 'sg_weather', isError: false })
  expect(await pasted(twin, readText('docs/execute.md'))).toEqual([answer, answer])
})

test('the commands of docs/wire.md list the tools without a key', async () => {
  const [listed] = await pasted(twin, readText('docs/wire.md'))
  const tools = expect.arrayContaining([expect.objectContaining({ name: 'sg_weather' })])
  expect(listed).toMatchObject({ id: 1, result: { tools } })
})

test('the commands of docs/skills.md add a skill in JSON and one in Markdown', async () => {
  const skills = (...words: readonly string[]) => ['npx', 'skillgate', 'skills', ...words]
  const file = expect.stringMatching(/rates\.json$/)
  expect(await pasted(twin, readText('docs/skills.md'))).toEqual([
    expect.objectContaining({ toolName: 'sg_joke', listed: true }),
    expect.objectContaining({ created: true, listed: true }),
    skills('new', file, '--from-curl', '-', '--credits', '1', '--force'),
    skills('test', file, 'base=USD', '--save'),
    skills('push', file),
    expect.objectContaining({ toolName: 'sg_tide', created: false }),
  ])
})

const PETS = 'examples/openapi/pets.yaml'
const TERMS = ['--prefix', 'pets', '--credits', '0.5']
const PLAN = ['npx', 'skillgate', 'import', 'openapi', 'plan', PETS, ...TERMS]

test('the commands of docs/openapi.md plan a document and apply it', async () => {
  expect(await pasted(twin, readText('docs/openapi.md'))).toEqual([
    expect.objectContaining({
      added: [expect.objectContaining({ skillId: 'sg_petstore_showPet' })],
    }),
    expect.objectContaining({ tools: expect.any(Number) }),
    ['npx', 'skillgate', 'import', 'openapi', 'ls', PETS],
    [...PLAN, '--tag', 'pets'],
    [...PLAN, '--all', '--as-model'],
  ])
})

test('the commands of docs/skill-sets.md plan a set, apply it, and find that nothing is left to do', async () => {
  expect(await pasted(twin, readText('docs/skill-sets.md'))).toEqual([
    ['npx', 'skillgate', 'skills', 'plan', `${twin.folder}/skills`, '--set', 'jokes'],
    ['npx', 'skillgate', 'skills', 'apply', `${twin.folder}/skills`, '--set', 'jokes'],
    expect.objectContaining({
      changes: 1,
      added: [expect.objectContaining({ skillId: 'sg_set_joke' })],
    }),
    expect.objectContaining({ changes: 1, tools: expect.any(Number) }),
    'changes: 0',
  ])
})
