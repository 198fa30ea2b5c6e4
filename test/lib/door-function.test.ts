/** The one construct that spells how a door is deployed. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Stack } from 'aws-cdk-lib'
import { expect, test } from 'vitest'
import { DoorFunction } from '../../lib/door-function.ts'
import { DOORS, type Door } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { getStage } from '../../lib/stages.ts'
import { newApp, resourcesOf, stubBundles, type Template } from './synthesized.ts'

const DEV = getStage('dev')

function synthesized(doors: readonly Door[], stage: Stage = DEV) {
  const app = newApp()
  const stack = new Stack(app, 'Doors')
  const bundles = stubBundles()
  for (const door of doors) {
    new DoorFunction(stack, door, {
      stage,
      door,
      bundles,
      environment: { GATEWAY_TABLE: 'Gateway' },
    })
  }
  const assembly = app.synth()
  const template: Template = assembly.getStackByName('Doors').template
  return { template, folder: assembly.directory }
}

const ALL = synthesized(DOORS)

function functionOf(template: Template, door: Door) {
  const found = resourcesOf(template, 'AWS::Lambda::Function').find(
    ([, { Description }]) => Description === `Skillgate dev: the ${door} door`,
  )
  return found?.[1] ?? {}
}

function variablesOf(template: Template, door: Door): { readonly [name: string]: unknown } {
  const { Environment } = functionOf(template, door)
  return (Environment as { Variables: { readonly [name: string]: unknown } }).Variables
}

test.each(DOORS)('the door %s runs its bundle on Node 24 and arm64, with JSON logs', (door) => {
  expect(functionOf(ALL.template, door)).toMatchObject({
    Runtime: 'nodejs24.x',
    Architectures: ['arm64'],
    Handler: 'index.handler',
    LoggingConfig: {
      LogFormat: 'JSON',
      ApplicationLogLevel: 'INFO',
      SystemLogLevel: ['admin', 'sweep', 'usage'].includes(door) ? 'INFO' : 'WARN',
    },
    Environment: { Variables: { GATEWAY_TABLE: 'Gateway', SKILLGATE_STAGE: 'dev' } },
  })
})

test('each door has its memory and time: streams 15 minutes, admin as long as API Gateway waits', () => {
  const sizes = DOORS.map((door) => {
    const { MemorySize, Timeout } = functionOf(ALL.template, door)
    return [door, MemorySize, Timeout]
  })
  expect(sizes).toEqual([
    ['sse', 192, 900],
    ['messages', 224, 60],
    ['mcp', 224, 900],
    ['execute', 224, 30],
    ['admin', 512, 29],
    ['sweep', 1024, 55],
    ['usage', 512, 120],
  ])
})

test('the functions that make calls have the memory of the stage, and V8 five eighths of it', () => {
  const { template } = synthesized(DOORS, { ...DEV, callMemoryMb: 512 })
  const sizes = DOORS.map((door) => {
    const { MemorySize } = functionOf(template, door)
    return [door, MemorySize, variablesOf(template, door)['NODE_OPTIONS']]
  })
  expect(sizes).toEqual([
    ['sse', 192, '--max-semi-space-size=2 --max-old-space-size=120'],
    ['messages', 512, '--max-semi-space-size=2 --max-old-space-size=320'],
    ['mcp', 512, '--max-semi-space-size=2 --max-old-space-size=320'],
    ['execute', 512, '--max-semi-space-size=2 --max-old-space-size=320'],
    ['admin', 512, undefined],
    ['sweep', 1024, undefined],
    ['usage', 512, undefined],
  ])
})

test('the functions that wait give freed buffers back, by settings of the C library', () => {
  const names = ['MALLOC_ARENA_MAX', 'MALLOC_MMAP_THRESHOLD_', 'MALLOC_TRIM_THRESHOLD_']
  const given = DOORS.filter((door) => {
    const variables = variablesOf(ALL.template, door)
    return names.map((name) => variables[name]).join() === '1,131072,131072'
  })
  expect(given).toEqual(['sse', 'messages', 'mcp', 'execute'])
})

test('a door function deploys all files of a bundle, and leaves source maps out', () => {
  const assets = readdirSync(ALL.folder).filter((name) => name.startsWith('asset.'))
  expect(assets).toHaveLength(7)
  expect(assets.map((name) => readdirSync(join(ALL.folder, name)))).toEqual(
    Array(7).fill(['index.mjs', 'opened-later.mjs']),
  )
})

test('a door function logs to a group of its own, whose lines end', () => {
  const groups = resourcesOf(ALL.template, 'AWS::Logs::LogGroup')
  expect(groups).toHaveLength(7)
  expect(groups.map(([, { RetentionInDays }]) => RetentionInDays)).toEqual(Array(7).fill(14))
  const used = resourcesOf(ALL.template, 'AWS::Lambda::Function').map(
    ([, { LoggingConfig }]) => LoggingConfig,
  )
  expect(used).toEqual(groups.map(([id]) => expect.objectContaining({ LogGroup: { Ref: id } })))
})

test('a door function keeps logs after the stack where the stage says so', () => {
  const kept = (keepLogs: boolean) =>
    Object.values(synthesized(['sweep'], { ...DEV, keepLogs }).template.Resources)
      .filter(({ Type }) => Type === 'AWS::Logs::LogGroup')
      .map(({ DeletionPolicy }) => DeletionPolicy)
  expect(kept(false)).toEqual(['Delete'])
  expect(kept(true)).toEqual(['Retain'])
})

test('a door function reserves concurrency for a door only where the stage opts in', () => {
  const reserved = (stage: Stage) =>
    functionOf(synthesized(['execute'], stage).template, 'execute')['ReservedConcurrentExecutions']
  expect(reserved(DEV)).toBeUndefined()
  expect(reserved({ ...DEV, reservedConcurrency: { sse: 10 } })).toBeUndefined()
  expect(reserved({ ...DEV, reservedConcurrency: { execute: 7 } })).toBe(7)
})

test('a door function has a role with no managed policy, which may write its own logs, and no more', () => {
  const { template } = synthesized(['sweep'])
  expect(resourcesOf(template, 'AWS::IAM::Role').map(([, role]) => role)).toEqual([
    {
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Effect: 'Allow',
            Principal: { Service: 'lambda.amazonaws.com' },
          },
        ],
        Version: '2012-10-17',
      },
    },
  ])
  const [[logs] = ['']] = resourcesOf(template, 'AWS::Logs::LogGroup')
  expect(
    resourcesOf(template, 'AWS::IAM::Policy').map(([, policy]) => policy['PolicyDocument']),
  ).toEqual([
    {
      Statement: [
        {
          Action: ['logs:CreateLogStream', 'logs:PutLogEvents'],
          Effect: 'Allow',
          Resource: { 'Fn::GetAtt': [logs, 'Arn'] },
        },
      ],
      Version: '2012-10-17',
    },
  ])
})

test('a door without its bundle is refused with the command to run', () => {
  const stack = new Stack(newApp(), 'Doors')
  const props = { stage: DEV, door: 'sse', bundles: '/nowhere', environment: {} } as const
  expect(() => new DoorFunction(stack, 'Sse', props)).toThrow(
    'dist/sse/index.mjs is not there: run "npm run bundle" first',
  )
})
