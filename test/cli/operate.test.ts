/**
 * deploy, diff and destroy go through their steps in order, and stop at the first that fails. The account and its
 * secret are those of a server on this machine; the CDK and the bundling are replaced.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CommandOutcome, runLine } from './test-shell.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const CALLER = '<Arn>arn:aws:iam::111111111111:user/ada</Arn><Account>111111111111</Account>'

let server: Server
let env: { readonly [name: string]: string }
/** The deployed stack, in CloudFormation's words; undefined before the first deploy. */
let stack: string | undefined
/** What Lambda grants the account. */
let concurrency = 1_000

beforeAll(async () => {
  Object.assign(process.env, CREDENTIALS)
  server = createServer((request, response) => {
    const counts = {
      ConcurrentExecutions: concurrency,
      UnreservedConcurrentExecutions: concurrency,
    }
    const answers: { [path: string]: string } = {
      '/': CALLER,
      '/2016-08-19/account-settings/': JSON.stringify({ AccountLimit: counts }),
      '/account': '{}',
      '/2015-03-31/functions/fn/aliases/public': '{"FunctionVersion":"7","RevisionId":"r"}',
    }
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (!Buffer.concat(chunks).includes('DescribeStacks')) {
        response.end(answers[request.url ?? ''])
        return
      }
      if (stack === undefined) response.statusCode = 400
      response.end(stack ?? 'Stack with id Skillgate-dev-Gateway does not exist')
    })
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
  stack = undefined
  concurrency = 1_000
})

type StageOutcome = CommandOutcome & { readonly words: readonly string[] }

/** `codes`: exit codes, by a program's file name. A deploy of the CDK writes outputs of another stack, or nothing. */
async function ran(
  line: string,
  { codes = {}, outputs = '{}' }: { codes?: { [name: string]: number }; outputs?: string } = {},
): Promise<StageOutcome> {
  const words: string[] = []
  const outcome = await runLine(line.split(' '), {
    env,
    programs: {
      show: (_file, [script = '', ...args]) => {
        const name = script.replace(/^.*\//, '')
        const at = args.indexOf('--outputs-file') + 1
        const file = at === 0 ? undefined : args[at]
        if (file !== undefined && outputs !== '') writeFileSync(file, outputs)
        words.push([name, ...args.map((one) => (one === file ? 'OUTPUTS' : one))].join(' '))
        return Promise.resolve(codes[name] ?? 0)
      },
      collect: () => Promise.resolve(undefined),
      launch: () => {},
    },
  })
  return { ...outcome, words }
}

describe('skillgate deploy', () => {
  test('a deploy asks the account, tells the price, deploys, and ends with what the stage has', async () => {
    const { code, err, out, words } = await ran('deploy -- --require-approval never', {
      outputs: '{"Skillgate-dev-Gateway":{"McpUrl":"https://mcp/"}}',
    })
    expect([code, err, words]).toEqual([
      0,
      '',
      [
        'bundle.ts',
        'cdk deploy --all --force -c stage=dev --require-approval never --outputs-file OUTPUTS',
      ],
    ])
    const said = [
      'account       111111111111 as arn:aws:iam::111111111111:user/ada\n',
      'Stage dev fits this account.\n',
      'What it costs, by prices of ',
      'Skillgate dev is deployed:\n',
    ]
    const places = said.map((text) => out.indexOf(text))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
  })

  test('a deploy of a stage for users whose alarms reach nobody starts nothing', async () => {
    const { code, err, out, words } = await ran('deploy --stage prod')
    expect([code, words]).toEqual([1, []])
    expect(out, err).toContain('does not fit  alarmEmail: is not set, so alarms reach nobody.')
  })

  test('a deploy of a stage that exists gives the CDK its live versions', async () => {
    const release = JSON.stringify({
      function: 'fn',
      aliases: ['public'],
      parameter: 'LiveMcpVersion',
      newest: '7',
    })
    stack = `<StackStatus>CREATE_COMPLETE</StackStatus>
      <member><ParameterKey>LiveMcpVersion</ParameterKey><ParameterValue>7</ParameterValue></member>
      <member><OutputKey>McpRelease</OutputKey><OutputValue>${release}</OutputValue></member>
      <member><OutputKey>ReleasesParameter</OutputKey><OutputValue>r</OutputValue></member>`
    const { code, err, out, words } = await ran('deploy')
    expect([code, err, words]).toEqual([
      0,
      '',
      [
        'bundle.ts',
        'cdk deploy --all --force -c stage=dev --outputs-file OUTPUTS --parameters Skillgate-dev-Gateway:LiveMcpVersion=7',
      ],
    ])
    expect(out).toContain('every function is at its newest version\n')
  })

  test('a rollback to what is no number of a release asks nothing of the account', async () => {
    expect(await ran('rollback --to v1')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--to: is "v1"; give the number of a release, such as 12'),
    })
  })

  test('a deploy into an account that is too small starts nothing', async () => {
    concurrency = 5
    const { code, err, out, words } = await ran('deploy')
    expect([code, words]).toEqual([1, []])
    expect(out, err).toContain('does not fit  sseConcurrency: is 10, and the account has 5')
    expect(out).not.toContain('What it costs')
  })

  test.each([
    ['bundle.ts', ['bundle.ts']],
    ['cdk', ['bundle.ts', 'cdk deploy --all --force -c stage=dev --outputs-file OUTPUTS']],
  ])(
    'a deploy whose %s ends with a code ends with it, and starts nothing more',
    async (name, words) => {
      const outcome = await ran('deploy', { codes: { [name]: 7 } })
      expect([outcome.code, outcome.words]).toEqual([7, words])
      expect(outcome.err).toBe('')
    },
  )

  test('a deploy whose end fails says that the stage is deployed, and exits with 1', async () => {
    const { code, err } = await ran('deploy', { outputs: '' })
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^The stage is deployed\. After it: ENOENT/),
    ])
  })
})

/** What a month without calls costs, as a deploy tells it. */
const readIdleUsd = (out: string) =>
  Number(/a month without calls +\$([\d.]+)/.exec(out)?.[1] ?? Number.NaN)

describe('a stage of skillgate.config.json', () => {
  const folder = mkdtempSync(join(tmpdir(), 'skillgate-operate-'))
  const file = join(folder, 'ops.json')
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (fields: object) =>
    writeFileSync(file, JSON.stringify({ stages: { 'prod-eu': { like: 'prod', ...fields } } }))
  const deploy = () => ran(`deploy --stage prod-eu -- -c config=${file}`)

  test('is deployed from the file that the words for the CDK name', async () => {
    write({ account: '111111111111', alarmEmail: 'none', capacity: 'provisioned' })
    const { code, err, out, words } = await deploy()
    expect(err).toBe('')
    expect(code).toBe(0)
    expect(out).toContain('Stage prod-eu fits this account.')
    write({ account: '111111111111', alarmEmail: 'none' })
    const onDemand = readIdleUsd((await deploy()).out)
    // The least capacity costs $3.65.
    expect(readIdleUsd(out) - onDemand).toBeCloseTo(3.65, 2)
    expect(words).toEqual([
      'bundle.ts',
      `cdk deploy --all --force -c stage=prod-eu -c config=${file} --outputs-file OUTPUTS`,
    ])
  })

  test('is not deployed with credentials of another account', async () => {
    write({ account: '222222222222' })
    expect(await deploy()).toEqual({
      code: 1,
      out: '',
      err: 'preflight: account: stage prod-eu is for 222222222222, and these credentials are of 111111111111; sign in to that account, or change account in skillgate.config.json\n',
      words: [],
    })
  })

  test('with a wrong field stops the deploy before any request', async () => {
    write({ sseConcurency: 200 })
    expect(await deploy()).toEqual({
      code: 2,
      out: '',
      err: `preflight: ${file} does not fit:\n  stages.prod-eu.sseConcurency: is no field of a stage; did you mean sseConcurrency?\n`,
      words: [],
    })
  })

  test('in a region of its own is asked for there', async () => {
    write({ region: 'us-east-1' })
    const { err, out } = await deploy()
    expect(err).toBe('')
    expect(out).toContain('region        us-east-1')
  })
})

test('a diff and a destroy go to the CDK with their stage, and a destroy asks first', async () => {
  expect((await ran('diff --stage prod')).words).toEqual(['bundle.ts', 'cdk diff -c stage=prod'])
  const stopped = await ran('diff', { codes: { 'bundle.ts': 7 } })
  expect([stopped.code, stopped.words]).toEqual([7, ['bundle.ts']])
  expect(await ran('destroy')).toMatchObject({ code: 2, words: [] })
  expect((await ran('destroy --yes')).words).toEqual(['cdk destroy --all --force -c stage=dev'])
})

test('a migration has the words after -- as its options, and prints their list when it is asked', async () => {
  const help = await ran('migrate -- --help')
  expect([help.code, help.err, help.words]).toEqual([0, '', []])
  expect(help.out).toContain('npm run migrate -- --dry-run | --apply [options]')
  const wrong = await ran('migrate -- --dry-run --apply')
  expect([wrong.code, wrong.out]).toEqual([2, ''])
  expect(wrong.err).toContain('migrate: give one of --dry-run and --apply\n')
})
