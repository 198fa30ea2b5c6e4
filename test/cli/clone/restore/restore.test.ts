/**
 * `skillgate restore` against the stand-in for AWS beside this file. The CDK and the bundling are
 * replaced, and a deploy writes the outputs that the parameters bring.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openAwsAccount } from '../../../../cli/aws/ask-service.ts'
import { rollbackStage } from '../../../../cli/clone/release/rollback.ts'
import { readDeployedShape } from '../../../../cli/clone/restore/deployed-shape.ts'
import {
  type RestoreReport,
  readRestorePlan,
  restoreTable,
  toRestoreRequest,
} from '../../../../cli/clone/restore/restore.ts'
import type { RestoreGoal } from '../../../../cli/clone/restore/restore-plan.ts'
import { listDifferences, readTemplateShape } from '../../../../cli/clone/restore/table-shape.ts'
import type { Shell } from '../../../../cli/terminal/shell.ts'
import { getStage } from '../../../../lib/stages.ts'
import { resourcesOf, synthesize } from '../../../lib/synthesized.ts'
import { runIn, runLine } from '../../test-shell.ts'
import { newTable, type StandIn, startStandIn } from './stand-in.ts'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' }
const DOORS = ['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage'] as const
/** The name of a function in the stand-in. */
const nameOf = (door: string) => `fn-${door.charAt(0).toUpperCase()}${door.slice(1)}`
const OWN = 'Skillgate-prod-Data-Gateway43CB3636-1ABC'
const AT_MS = 1_795_471_200_000
const TARGET = `${OWN}-to-20261123T220000Z`
const MOMENT: RestoreGoal = { kind: 'moment', atMs: AT_MS }

const TEMPLATE = synthesize(getStage('prod')).data

/** Properties of the Gateway table in a template. */
function tableOf(template: typeof TEMPLATE) {
  const tables = resourcesOf(template, 'AWS::DynamoDB::GlobalTable')
  return tables.find(([id]) => id.startsWith('Gateway'))?.[1] ?? {}
}

let aws: StandIn
/** Words of the CDK, by call. */
let deploys: string[]
/** The exit codes of the CDK. */
let deployCode = 0
let synthCode = 0

beforeEach(async () => {
  Object.assign(process.env, CREDENTIALS)
  aws = await startStandIn()
  deploys = []
  deployCode = 0
  synthCode = 0
  aws.tables.set(OWN, newTable(OWN, { recovery: true }))
  aws.outputs['Skillgate-prod-Data'] = { GatewayTableName: OWN }
  aws.outputs['Skillgate-prod-Gateway'] = { McpUrl: 'https://mcp/', GatewayTableName: OWN }
  aws.outputs['Skillgate-prod-Watch'] = {}
})
afterEach(() => {
  aws.close()
  for (const name of Object.keys(CREDENTIALS)) delete process.env[name]
})

const env = () => ({ AWS_REGION: 'eu-central-1', AWS_ENDPOINT_URL: aws.url })

/** Publishes versions for a table that the functions do not have yet, and moves no alias. */
function deployTable(name: string): void {
  if (aws.outputs['Skillgate-prod-Gateway']?.['GatewayTableName'] === name) return
  aws.outputs['Skillgate-prod-Gateway'] = { GatewayTableName: name }
  for (const door of Object.keys(aws.stage.newest)) {
    const version = String(Number(aws.stage.newest[door]) + 1)
    aws.stage.newest[door] = version
    aws.stage.tables.set(`fn-${door}:${version}`, name)
  }
}

const programs: Shell['programs'] = {
  show: (_file, [script = '', ...words]) => {
    if (!script.endsWith('cdk')) return Promise.resolve(0)
    if (words[0] === 'synth') {
      const file = join(words.at(-1) ?? '', 'Skillgate-prod-Data.template.json')
      writeFileSync(file, JSON.stringify(TEMPLATE))
      return Promise.resolve(synthCode)
    }
    deploys.push(words.join(' '))
    aws.changes.push('deploy')
    const [, name] = /Skillgate-prod-Gateway:RestoredGatewayTable=(\S*)/.exec(words.join(' ')) ?? []
    if (deployCode === 0) deployTable(name || OWN)
    return Promise.resolve(deployCode)
  },
  collect: () => Promise.resolve(undefined),
  launch: () => {},
}

async function restored(
  goal: RestoreGoal = MOMENT,
  { keepKeys = false, stage = 'prod' }: { keepKeys?: boolean; stage?: string } = {},
): Promise<{ report: RestoreReport | undefined; waitedMs: number; err: string }> {
  let report: RestoreReport | undefined
  let waitedMs = 0
  const pause = async (ms: number) => {
    waitedMs += ms
  }
  const { err } = await runIn(
    async (shell) => {
      const world = { aws: await openAwsAccount(env()), shell, pause }
      const request = toRestoreRequest({ stage, goal, keepKeys }, shell)
      report = await restoreTable(world, request, await readRestorePlan(world, request))
      return 0
    },
    { env: env(), programs },
  )
  return { report, waitedMs, err }
}

function rolledBack(meanwhile?: () => Promise<void>) {
  const words = { stage: 'prod', to: undefined }
  return runIn((shell) => rollbackStage(words, shell, async () => meanwhile?.()), { env: env() })
}

function toRelease(number: number) {
  const versions = Object.fromEntries(DOORS.map((door) => [nameOf(door).slice(3), '7']))
  return { number, at: '2026-11-27T12:00:00Z', versions }
}

function auth(hash: string, uid = 'ada') {
  return { pk: { S: `auth:hash:${hash}` }, sk: { S: '-' }, uid: { S: uid } }
}

describe('a restore to a moment', () => {
  test('a restore makes a table with everything that the template says, and then nothing is different', async () => {
    const { report } = await restored()
    const account = await openAwsAccount(env())
    const wanted = readTemplateShape(tableOf(TEMPLATE))
    const fields = { ...aws.tables.get(TARGET)?.fields }
    expect(listDifferences(wanted, await readDeployedShape(account, fields))).toEqual([])
    expect(wanted).toEqual({
      keys: ['pk HASH', 'sk RANGE'],
      ttlAttribute: 'ttl',
      stream: 'NEW_AND_OLD_IMAGES',
      pointInTimeRecovery: true,
      deletionProtection: true,
      billing: 'on-demand',
      writeUnitsMax: 4_000,
      readUnitsMax: 12_000,
      writeScaling: undefined,
      readScaling: undefined,
      tags: { Project: 'skillgate', Stage: 'prod' },
    })
    expect(report).toMatchObject({ replaced: OWN, restored: TARGET })
    expect(report?.settled.map((line) => line.replace(/:.*$/, ''))).toEqual([
      'writeUnitsMax',
      'ttlAttribute',
      'stream',
      'pointInTimeRecovery',
      'deletionProtection',
      'tags',
    ])
  })

  test('a restore changes things in its order: the copy serves nobody before it is complete, and no function runs while the table changes', async () => {
    await restored()
    const stopped = (door: string) => `PutFunctionConcurrency ${nameOf(door)} 0`
    const started = ([door, count]: [string, number]) =>
      `PutFunctionConcurrency ${nameOf(door)} ${count}`
    // Aliases move at the same time.
    expect(aws.changes.map((one) => one.replace(/^UpdateAlias .*/, 'UpdateAlias'))).toEqual([
      'RestoreTableToPointInTime',
      'UpdateTable OnDemandThroughput',
      'UpdateTimeToLive',
      'UpdateTable StreamSpecification',
      'UpdateContinuousBackups',
      'UpdateTable DeletionProtectionEnabled',
      'TagResource',
      ...['sse', 'messages', 'mcp', 'execute', 'admin', 'sweep', 'usage'].map(stopped),
      'deploy',
      ...DOORS.map(() => 'UpdateAlias'),
      ...DOORS.map((door) =>
        started([door, getStage('prod').reservedConcurrency?.[door] ?? -1]),
      ).map((line) => line.replace(/^Put(.*) -1$/, 'Delete$1')),
    ])
    expect([...aws.reserved.values()]).not.toContain(0)
  })

  test('a restore waits until running calls have ended, and until usage has archived them', async () => {
    const { waitedMs } = await restored()
    expect(waitedMs).toBeGreaterThanOrEqual(140_000)
  })

  test('a restore deploys the stacks that name the table with its name and its stream, and no other stack', async () => {
    await restored()
    const stream = `arn:aws:dynamodb:eu-central-1:111111111111:table/${TARGET}/stream/${TARGET}-news`
    expect(deploys).toEqual([
      [
        'deploy Skillgate-prod-Gateway Skillgate-prod-Watch --exclusively --force --require-approval never -c stage=prod',
        `--parameters Skillgate-prod-Gateway:RestoredGatewayTable=${TARGET}`,
        `--parameters Skillgate-prod-Gateway:RestoredGatewayStream=${stream}`,
        `--parameters Skillgate-prod-Watch:RestoredGatewayTable=${TARGET}`,
        ...DOORS.toReversed().map(
          (door) => `--parameters Skillgate-prod-Gateway:Live${nameOf(door).slice(3)}Version=7`,
        ),
        `-c restoredTable=${TARGET}`,
      ].join(' '),
    ])
  })
})

describe('the versions of a restored table', () => {
  const at = () => [...new Set(Object.values(aws.stage.standing()))]

  test('a restore moves every alias to the version of the new table before the functions start, and CloudFormation names it', async () => {
    await restored()
    expect(at()).toEqual(['8'])
    expect(aws.stage.parameters).toMatchObject({ LiveMcpVersion: '8', LiveUsageVersion: '8' })
  })

  test('a rollback to a version of the replaced table is refused, and names the way back', async () => {
    for (const door of DOORS) aws.stage.tables.set(`${nameOf(door)}:7`, OWN)
    await restored()
    const { code, err } = await rolledBack()
    expect([code, at()]).toEqual([1, ['8']])
    expect(err).toBe(
      `rollback: release 1 uses the table ${OWN}, which ${TARGET} has replaced\n  To use that table again: skillgate restore --stage prod --table gateway --use ${OWN}\n`,
    )
  })

  test('a rollback that waited while the table was replaced moves nothing after it', async () => {
    for (const door of DOORS) aws.stage.tables.set(`${nameOf(door)}:7`, OWN)
    aws.stage.releases = JSON.stringify([toRelease(2), toRelease(1)])
    aws.stage.status = 'UPDATE_IN_PROGRESS'
    const { code, err } = await rolledBack(async () => {
      aws.stage.status = 'UPDATE_COMPLETE'
      await restored()
    })
    expect([code, at()]).toEqual([1, ['8']])
    expect(err).toContain('rollback: release 1 uses the table')
  })

  test('functions stay stopped if another command moves an alias before they start', async () => {
    let updates = 0
    aws.stage.intercept = ({ what }) => {
      if (what === 'cloudformation POST DescribeStacks' && at().includes('8')) {
        updates += 1
        aws.stage.move('fn-Mcp:live', '7')
      }
      return undefined
    }
    await expect(restored()).rejects.toThrow(
      'Another command has moved an alias. The functions are stopped.',
    )
    expect([...aws.reserved.values(), updates > 0]).toEqual([...Array(7).fill(0), true])
  })

  test('a stage without alarms is restored without their stack', async () => {
    delete aws.outputs['Skillgate-prod-Watch']
    await restored()
    expect(deploys.join()).not.toContain('Watch')
    expect(at()).toEqual(['8'])
  })
})

describe('keys that ended after the moment', () => {
  const login = (id: string) => ({ pk: { S: `login:${id}` }, sk: { S: '-' } })
  beforeEach(() => {
    const source = aws.tables.get(OWN)
    if (source === undefined) throw new Error('no table')
    // What the copy has; the stand-in copies at once.
    const then = [
      auth('kept'),
      auth('revoked'),
      auth('t:ended'),
      login('left'),
      login('ended'),
      { pk: { S: 'admin_keys' }, sk: { S: 'revoked' } },
      { pk: { S: 'profile:ada' }, sk: { S: '-' } },
    ]
    const today = [
      auth('kept'),
      { pk: { S: 'auth:hash:t:ended' }, sk: { S: '-' } },
      auth('new'),
      login('left'),
      { ...login('ended'), endedAtMs: { N: '1' } },
    ]
    aws.tables.set(TARGET, {
      ...newTable(TARGET, { items: then }),
      fields: {
        ...newTable(TARGET).fields,
        RestoreSummary: { RestoreDateTime: AT_MS / 1_000 },
      },
    })
    source.items = today
  })
  const left = () => aws.tables.get(TARGET)?.items.map(({ pk, sk }) => `${pk?.S} ${sk?.S}`)

  test('a key that was revoked since, an ended token, a login and an admin key do not come back', async () => {
    const { report } = await restored()
    expect(report?.endedKeys.map(({ pk, uid }) => [pk, uid])).toEqual([
      ['auth:hash:revoked', 'ada'],
      ['auth:hash:t:ended', 'ada'],
      ['login:ended', undefined],
      ['admin_keys', undefined],
    ])
    expect(left()).toEqual(['auth:hash:kept -', 'login:left -', 'profile:ada -'])
  })

  test('a key that may do less since then does not get back what it lost, and what else it has stays', async () => {
    const tools = (...names: string[]) => ({ L: names.map((name) => ({ S: name })) })
    const wide = { ...auth('narrowed'), proof: { S: 'p' }, expiresAtMs: { N: '9' } }
    const admin = { pk: { S: 'admin_keys' }, sk: { S: 'ak_2' } }
    const today = [
      { ...wide, tools: tools('sg_*'), maxCreditsPerCall: { N: '5' }, expiresAtMs: { N: '10' } },
      { ...auth('widened'), proof: { S: 'q' } },
      { ...admin, role: { S: 'viewer' } },
    ]
    const then = [
      { ...wide, mayIssueKeys: { BOOL: true } },
      { ...auth('widened'), proof: { S: 'q' }, tools: tools('sg_a') },
      { ...admin, role: { S: 'owner' } },
    ]
    const source = aws.tables.get(OWN)
    const target = aws.tables.get(TARGET)
    if (source === undefined || target === undefined) throw new Error('no tables')
    source.items = today
    target.items = then
    await restored()
    expect(aws.tables.get(TARGET)?.items).toEqual([
      { ...wide, tools: tools('sg_*'), maxCreditsPerCall: { N: '5' } },
      { ...auth('widened'), proof: { S: 'q' } },
      { ...admin, role: { S: 'viewer' } },
    ])
  })

  test('keys end while no function runs, and before a deploy names the table', async () => {
    await restored()
    const at = (start: string) => aws.changes.findIndex((one) => one.startsWith(start))
    const lastStop = aws.changes.lastIndexOf('PutFunctionConcurrency fn-Usage 0')
    expect(lastStop).toBeLessThan(at('DeleteItem'))
    expect(aws.changes.findLastIndex((one) => one.startsWith('DeleteItem'))).toBeLessThan(
      at('deploy'),
    )
  })

  test('keys come back where the operator keeps them, or names the table', async () => {
    await restored(MOMENT, { keepKeys: true })
    expect(left()).toHaveLength(7)
    aws.outputs['Skillgate-prod-Gateway'] = { GatewayTableName: OWN }
    await restored({ kind: 'table', tableName: TARGET })
    expect(left()).toHaveLength(7)
  })
})

describe('a restore that was broken off', () => {
  test.each([
    'RestoreTableToPointInTime',
    'UpdateTimeToLive',
    'UpdateTable StreamSpecification',
    'TagResource',
    'PutFunctionConcurrency fn-Mcp 0',
    'PutFunctionConcurrency fn-Usage 0',
    'UpdateAlias fn-Mcp',
    'PutFunctionConcurrency fn-Mcp 340',
    'DeleteFunctionConcurrency fn-Usage',
  ])('at %s goes on when it is run again', async (failing) => {
    aws.failing = failing
    await expect(restored()).rejects.toThrow('not authorized to perform')
    await restored()
    expect(aws.outputs['Skillgate-prod-Gateway']?.['GatewayTableName']).toBe(TARGET)
    expect([...aws.reserved.values()]).not.toContain(0)
    const made = aws.changes.filter((one) => one === 'RestoreTableToPointInTime')
    expect(made).toHaveLength(1)
  })

  test('by a deploy that failed leaves the functions stopped, says so, and names both ways', async () => {
    deployCode = 7
    await expect(restored()).rejects.toMatchObject({
      message: 'The deploy ended with 7. The functions are stopped.',
      remedy: `Run the same command again, or go back: skillgate restore --stage prod --table gateway --use ${OWN}`,
    })
    expect([...aws.reserved.values()]).toEqual(Array(7).fill(0))
    deployCode = 0
    const { report } = await restored({ kind: 'table', tableName: OWN })
    expect(report?.restored).toBe(OWN)
    expect(deploys.at(-1)).toContain(
      '--parameters Skillgate-prod-Gateway:RestoredGatewayTable= --parameters Skillgate-prod-Gateway:RestoredGatewayStream= --parameters Skillgate-prod-Watch:RestoredGatewayTable=',
    )
    expect([...aws.reserved.values()]).not.toContain(0)
  })
})

describe('the settings of a table', () => {
  test('a stream of another kind is ended and begun again', async () => {
    const given = newTable('given')
    given.fields['StreamSpecification'] = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' }
    aws.tables.set('given', given)
    await restored({ kind: 'table', tableName: 'given' })
    expect(aws.tables.get('given')?.fields['StreamSpecification']).toEqual({
      StreamEnabled: true,
      StreamViewType: 'NEW_AND_OLD_IMAGES',
    })
  })

  test('a table with other keys is refused before anything is stopped', async () => {
    const given = newTable('given')
    given.fields['KeySchema'] = [{ AttributeName: 'id', KeyType: 'HASH' }]
    aws.tables.set('given', given)
    await expect(restored({ kind: 'table', tableName: 'given' })).rejects.toThrow(
      'given: is another kind of table; keys: is ["id HASH"], and the template has ["pk HASH","sk RANGE"]',
    )
    expect(aws.changes).toEqual([])
  })

  test('a stage that cannot be synthesized is found before anything is changed', async () => {
    synthCode = 7
    await expect(restored()).rejects.toThrow('The stage cannot be synthesized (7).')
    expect(aws.changes).toEqual([])
  })

  test('a template with a setting that a restore does not know is refused by its name', () => {
    const template = { ...tableOf(TEMPLATE), GlobalSecondaryIndexes: [] }
    expect(() => readTemplateShape(template)).toThrow(
      'table: its template has GlobalSecondaryIndexes, which a restore does not set',
    )
  })

  test('a provisioned table has its capacity scaled between the numbers of the stage', () => {
    const stage = { ...getStage('prod'), capacity: 'provisioned' as const }
    expect(readTemplateShape(tableOf(synthesize(stage).data))).toMatchObject({
      billing: 'provisioned',
      writeUnitsMax: undefined,
      writeScaling: { min: 5, max: 4_000, targetPercent: 80 },
      readScaling: { min: 5, max: 12_000, targetPercent: 50 },
    })
  })
})

describe('the command', () => {
  const line = (words: string) =>
    runLine(`restore --stage prod ${words}`.split(' '), { env: env(), programs })

  test('a dry run prints the plan and changes nothing', async () => {
    const { code, err, out } = await line('--table gateway --to 2026-11-23T22:00:00Z --dry-run')
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(`its successor  ${TARGET}, which will be made\n`)
    expect(aws.changes).toEqual([])
  })

  test('a restore asks first', async () => {
    const { code, err } = await line('--table gateway --to 2026-11-23T22:00:00Z')
    expect([code, aws.changes]).toEqual([2, []])
    expect(err).toContain('Everything written since 2026-11-23T22:00:00Z is lost to the gateway.')
  })

  test.each([
    ['--to 2026-11-23T22:00:00Z', 'Write --table gateway.'],
    ['--table sessions --to 2026-11-23T22:00:00Z', 'Sessions has no recovery'],
    ['--table gateway', 'Give one of --to and --use.'],
    ['--table gateway --to 2026-11-23T22:00:00Z --use t', 'Give one of --to and --use.'],
    ['--table gateway --to 2h', '--to: 2h is no second in UTC.'],
    ['--table gateway --to 2026-11-23T22:00:00.5Z', '--to: 2026-11-23T22:00:00.5Z is no second'],
    [
      '--table gateway --to 2026-11-01T00:00:00Z',
      'Give a time from 2026-11-18T11:06:40Z to 2026-11-27T17:20:00Z.',
    ],
    ['--table gateway --use none', '--use: there is no table none.'],
  ])('%s is refused as wrong usage, with the remedy', async (words, said) => {
    const { code, err } = await line(words)
    expect(err).toContain(said)
    expect([code, aws.changes]).toEqual([2, []])
  })

  test('a table without recovery is no source', async () => {
    aws.tables.set(OWN, newTable(OWN))
    const { code, err } = await line('--table gateway --to 2026-11-23T22:00:00Z')
    expect([code, aws.changes]).toEqual([1, []])
    expect(err).toContain(`${OWN}: has no point-in-time recovery.`)
  })

  test('a table of that name that is another restore is left alone', async () => {
    aws.tables.set(TARGET, newTable(TARGET))
    const { code, err } = await line('--table gateway --to 2026-11-23T22:00:00Z --yes')
    expect([code, aws.changes]).toEqual([1, []])
    expect(err).toContain(`${TARGET}: exists, and is no restore to this moment.`)
  })
})
