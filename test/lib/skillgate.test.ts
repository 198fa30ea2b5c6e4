/** The construct Skillgate in an app of somebody else: the same stacks as those of the CDK app here. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, CfnOutput, Stack } from 'aws-cdk-lib'
import { afterAll, describe, expect, test } from 'vitest'
import { Skillgate } from '../../lib/skillgate.ts'
import { getStage, makeStage } from '../../lib/stages.ts'
import { stubBundles, synthesize, type Template } from './synthesized.ts'

process.env['CDK_VALIDATION'] = 'false'
const folder = mkdtempSync(join(tmpdir(), 'skillgate-construct-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Without the flags of cdk.json, as the app of a team has others. */
const newForeignApp = () => new App({ outdir: mkdtempSync(join(folder, 'out-')) })
const bundles = stubBundles()

/** The ids of some permissions have the path of their function, which is another one in each app. */
function resourcesOf({ Resources }: Template): object {
  return Object.fromEntries(
    Object.entries(Resources).map(([id, one]) =>
      one.Type === 'AWS::Lambda::Permission' ? [JSON.stringify(one.Properties), one] : [id, one],
    ),
  )
}

describe('the construct', () => {
  const app = newForeignApp()
  const own = new Stack(app, 'Own')
  const gateway = new Skillgate(app, 'Gateway', { name: 'team-a', like: 'prod', bundles })
  const second = new Skillgate(app, 'Second', { name: 'team-b', bundles })
  new CfnOutput(own, 'Mcp', { value: gateway.mcpUrl })
  const assembly = app.synth()
  const templateOf = (stack: string) => assembly.getStackByName(stack).template

  test.each(['Data', 'Gateway', 'Watch'] as const)(
    'makes the stack %s as the CDK app of the clone does',
    (part) => {
      const stage = makeStage('team-a', 'prod', {})
      const expected = synthesize(stage).assembly.getStackByName(`Skillgate-team-a-${part}`)
      const made = templateOf(`Skillgate-team-a-${part}`)
      expect(resourcesOf(made)).toEqual(resourcesOf(expected.template))
      // The stack Own imports a value, which the stack Gateway then exports.
      expect(made.Outputs).toMatchObject(expected.template.Outputs)
    },
  )

  test('stands beside another one, with protection as its stage has it', () => {
    const isProtected = (stack: string) => assembly.getStackByName(stack).terminationProtection
    expect(isProtected('Skillgate-team-a-Data')).toBe(true)
    expect(isProtected('Skillgate-team-b-Data')).toBe(false)
    expect(second.gatewayTable.stack.stackName).toBe('Skillgate-team-b-Data')
    expect(second.adminApi.stack.stackName).toBe('Skillgate-team-b-Gateway')
    expect(second.alarms.stack.stackName).toBe('Skillgate-team-b-Watch')
  })

  test('gives its URLs to other stacks', () => {
    expect(templateOf('Own').Outputs.Mcp.Value).toEqual({
      'Fn::Join': ['', [{ 'Fn::ImportValue': expect.stringMatching(/^Skillgate-team-a-/) }, 'mcp']],
    })
  })
})

test('settings that do not fit are refused with one line for each', () => {
  const make = (settings: object) => () =>
    new Skillgate(newForeignApp(), 'Gateway', { name: 'a', bundles, ...settings })
  expect(make({ holdsMax: 0, prefix: 'SG' })).toThrow(
    'Stage a does not fit:\n' +
      '  prefix: is "SG"; give 1 to 16 characters of a-z and 0-9, a letter first, without the underscore\n' +
      '  holdsMax: is 0; give a whole number from 1 to 200',
  )
  expect(make({ name: 'Team_A' })).toThrow(
    'name: is "Team_A"; give 1 to 16 characters of a-z, 0-9 and -, a letter first',
  )
  expect(make({ sseConcurency: 5, logn: true })).toThrow(
    'sseConcurency: is no field of a stage; did you mean sseConcurrency?\n' +
      'logn: is no field of a stage; did you mean login?',
  )
  expect(make({ like: 'staging' })).toThrow('like: is "staging"; give dev or prod')
})

test('the example is an app that synthesizes, in the account and region of its stage', () => {
  const { status, stderr } = spawnSync(process.execPath, ['examples/cdk/app.ts'], {
    encoding: 'utf8',
    env: {
      ...process.env,
      CDK_OUTDIR: join(folder, 'example'),
      CDK_CONTEXT_JSON: JSON.stringify({ bundles }),
    },
  })
  expect(status, stderr).toBe(0)
  const { artifacts } = JSON.parse(readFileSync(join(folder, 'example/manifest.json'), 'utf8'))
  const stacks = Object.values<{ type: string; displayName: string; environment: string }>(
    artifacts,
  )
    .filter(({ type }) => type === 'aws:cloudformation:stack')
    .map(({ displayName, environment }) => [displayName, environment])
  const place = 'aws://111111111111/eu-central-1'
  expect(Object.fromEntries(stacks)).toEqual({
    'Gateway/Skillgate-team-a-Data': place,
    'Gateway/Skillgate-team-a-Gateway': place,
    'Gateway/Skillgate-team-a-Watch': place,
    Portal: place,
  })
})

test('dev is what a construct is like if it does not say', () => {
  expect(makeStage('x', 'dev', {})).toEqual({ ...getStage('dev'), name: 'x' })
})
