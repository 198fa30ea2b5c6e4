/** `skillgate init`, against a server on this machine that answers as STS does. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readStagesFile } from '../../adapters/stages/config-file.ts'
import { type CommandOutcome, runLine } from './test-shell.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }

let server: Server
let status = 200
let cwd = ''
let env: { readonly [name: string]: string }

beforeAll(async () => {
  Object.assign(process.env, CREDENTIALS)
  server = createServer((request, response) => {
    request.resume()
    const isSigned = request.headers.authorization?.includes('/eu-central-1/sts/aws4_request')
    const identity = '<Arn>arn:aws:iam::111111111111:user/ada</Arn><Account>111111111111</Account>'
    response.writeHead(isSigned ? status : 403).end(status === 200 ? identity : 'expired')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  env = { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_REGION: 'eu-central-1' }
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
})
beforeEach(() => {
  status = 200
  cwd = mkdtempSync(join(tmpdir(), 'skillgate-init-'))
  return () => rmSync(cwd, { recursive: true })
})

const init = (
  more: { [name: string]: string } = {},
  words: string[] = [],
): Promise<CommandOutcome> => runLine(['init', ...words], { env: { ...env, ...more }, cwd })

test('init writes account and region of the credentials, and says how to go on', async () => {
  const path = join(cwd, 'skillgate.config.json')
  expect(await init()).toEqual({
    code: 0,
    err: '',
    out: [
      `${path} has the stages dev and prod.`,
      'Both are for account 111111111111 in eu-central-1; change prod if it has an account of its own.',
      'Deploy the first one from a clone:',
      '  npx skillgate deploy --stage dev',
      '',
    ].join('\n'),
  })
  const { $schema, stages } = JSON.parse(readFileSync(path, 'utf8'))
  const place = { account: '111111111111', region: 'eu-central-1' }
  expect(stages).toEqual({ dev: place, prod: place })
  expect(JSON.parse(readFileSync(join(cwd, $schema), 'utf8')).title).toBe('Stages of Skillgate')
  expect([...readStagesFile({ env: {}, cwd }).records.keys()]).toEqual(['dev', 'prod'])
})

test('init never replaces a file', async () => {
  const path = join(cwd, 'skillgate.config.json')
  writeFileSync(path, '{"stages": {"dev": {"prefix": "mine"}}}')
  expect(await init()).toEqual({
    code: 1,
    out: '',
    err: `${path} is there already.\nEdit it, or name another file with SKILLGATE_CONFIG.\n`,
  })
  expect(readFileSync(path, 'utf8')).toContain('mine')
})

test('init without credentials that work writes stages without a place, and says why', async () => {
  status = 403
  const { code, err, out } = await init()
  expect(code).toBe(0)
  expect(err).toMatch(
    /^The stages have no account and region yet: sts: .* answered 403: expired\.\n$/,
  )
  expect(out).toContain('Give each its account and region.\n')
  expect(readStagesFile({ env: {}, cwd }).records.get('prod')).toEqual({ fields: {} })
})

test('init writes the file that SKILLGATE_CONFIG names, or says why it cannot', async () => {
  const path = join(cwd, 'ops.json')
  const { out } = await init({ SKILLGATE_CONFIG: path })
  expect(out).toContain(`\n  SKILLGATE_CONFIG=${path} npx skillgate deploy --stage dev\n`)
  const { code, err } = await init({ SKILLGATE_CONFIG: join(cwd, 'nowhere/ops.json') })
  expect(code).toBe(1)
  expect(err).toMatch(/nowhere\/ops\.json cannot be written: ENOENT/)
})

test('init prints an object for programs', async () => {
  const { out } = await init({}, ['--json'])
  expect(JSON.parse(out)).toEqual({
    path: join(cwd, 'skillgate.config.json'),
    account: '111111111111',
    region: 'eu-central-1',
  })
})

test('the names of stages in the file complete --stage', async () => {
  writeFileSync(
    join(cwd, 'skillgate.config.json'),
    '{"stages": {"staging": {"like": "prod"}, "prod-eu": {"like": "prod"}}}',
  )
  const completed = async (words: string) =>
    (await runLine(['__complete', '--', ...words.split(' ')], { env, cwd })).out
  expect(await completed('deploy --stage ""')).toBe('dev\nprod\nstaging\nprod-eu\n')
  expect(await completed('logs --stage pr')).toBe('prod\nprod-eu\n')
})

const WORKFLOW = '.github/workflows/skillgate.yml'
const PIPELINE = ['--pipeline', 'github']

test('init --pipeline writes a workflow of the stages in the file, in their order, and leaves the file', async () => {
  const place = { region: 'eu-central-1' }
  const config = JSON.stringify({
    stages: {
      trial: { like: 'dev', account: '111111111111', ...place },
      prod: { account: '222222222222', ...place },
    },
  })
  writeFileSync(join(cwd, 'skillgate.config.json'), config)
  const { code, err, out } = await init({}, PIPELINE)
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain(`${join(cwd, WORKFLOW)} deploys trial, then prod.\n`)
  const workflow = readFileSync(join(cwd, WORKFLOW), 'utf8')
  expect(workflow).toContain(
    'role-to-assume: arn:aws:iam::111111111111:role/Skillgate-trial-Deploy',
  )
  expect(workflow).toContain('needs: deploy-trial')
  expect(readFileSync(join(cwd, 'skillgate.config.json'), 'utf8')).toBe(config)
})

test('init --pipeline writes the file first where there is none', async () => {
  expect((await init({}, PIPELINE)).code).toBe(0)
  expect([...readStagesFile({ cwd, env: {} }).records.keys()]).toEqual(['dev', 'prod'])
  expect(readFileSync(join(cwd, WORKFLOW), 'utf8')).toContain('needs: deploy-dev')
})

test('init --pipeline never replaces a workflow, and asks for the places of all stages at once', async () => {
  const path = join(cwd, 'skillgate.config.json')
  writeFileSync(path, '{"stages":{"dev":{"account":"111111111111"},"prod":{}}}')
  const { code, err } = await init({}, PIPELINE)
  expect([code, err]).toEqual([
    1,
    expect.stringContaining('account and region are missing in dev, prod'),
  ])
  mkdirSync(join(cwd, '.github/workflows'), { recursive: true })
  writeFileSync(join(cwd, WORKFLOW), 'mine')
  expect((await init({}, PIPELINE)).err).toContain('skillgate.yml is there already.')
  expect(readFileSync(join(cwd, WORKFLOW), 'utf8')).toBe('mine')
})
