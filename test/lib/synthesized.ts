/**
 * A stage as `cdk synth` makes it, with the feature flags of cdk.json, from bundles that are stubs: unit
 * tests need no `npm run bundle`. Call it outside of tests, once per file and stage.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App, type Environment } from 'aws-cdk-lib'
import { FUNCTIONS } from '../../lib/doors.ts'
import { addStacks } from '../../lib/gateway-app.ts'
import type { Stage } from '../../lib/stage.ts'
import { type ParameterValues, withParameters } from './template-parameters.ts'

const CDK_JSON = join(import.meta.dirname, '../../cdk.json')
/** Of all files of a process; gone when it ends. */
const FOLDER = mkdtempSync(join(tmpdir(), 'skillgate-synth-'))

process.once('exit', () => rmSync(FOLDER, { recursive: true, force: true }))

export type Properties = { readonly [name: string]: unknown }

export type Resource = {
  readonly Type: string
  readonly Properties: Properties
  readonly DeletionPolicy?: string
  readonly UpdateReplacePolicy?: string
  readonly DependsOn?: readonly string[]
}

/** Of a synthesized template; what tests look at. */
export type Template = {
  readonly Resources: { readonly [logicalId: string]: Resource }
  readonly Parameters: { readonly [name: string]: Properties }
  readonly Outputs: { readonly [name: string]: { readonly Value: unknown } }
}

/** An app with the flags of cdk.json. */
export function newApp(): App {
  // CDK's own check of every template against CloudFormation's schemas: three seconds in a loaded
  // process, so test/lib/nag.test.ts alone has it switched on.
  process.env['CDK_VALIDATION'] ??= 'false'
  const { context } = JSON.parse(readFileSync(CDK_JSON, 'utf8'))
  return new App({ outdir: temporaryFolder(), context })
}

export function stubBundles(): string {
  const folder = temporaryFolder()
  for (const door of FUNCTIONS) {
    mkdirSync(join(folder, door))
    writeFileSync(join(folder, door, 'index.mjs'), `export const handler = '${door}'`)
    writeFileSync(join(folder, door, 'index.mjs.map'), '{}')
    writeFileSync(join(folder, door, 'opened-later.mjs'), 'export {}')
    writeFileSync(join(folder, door, 'opened-later.mjs.map'), '{}')
  }
  return folder
}

/** The templates as they are deployed with these values of parameters, and else with the defaults. */
export function synthesize(stage: Stage, env: Environment = {}, parameters: ParameterValues = {}) {
  const app = newApp()
  addStacks(app, { stage, env, bundles: stubBundles() })
  const assembly = app.synth()
  const templateOf = (part: 'Data' | 'Gateway' | 'Watch'): Template =>
    withParameters(assembly.getStackByName(`Skillgate-${stage.name}-${part}`).template, parameters)
  return {
    assembly,
    data: templateOf('Data'),
    gateway: templateOf('Gateway'),
    watch: templateOf('Watch'),
  }
}

/** As the other stacks of a stage read an output of its data stack, which exports nothing. */
export function dataOutput(stage: string, name: string) {
  return {
    'Fn::GetStackOutput': {
      StackName: `Skillgate-${stage}-Data`,
      Region: { Ref: 'AWS::Region' },
      OutputName: `PublishOutput${name}`,
    },
  }
}

/** The ARNs of the tables, as the other stacks read them. */
export function tableOutputs(stage: string) {
  return {
    gateway: dataOutput(stage, 'FnGetAttGateway43CB3636ArnBA6AEF4D'),
    sessions: dataOutput(stage, 'FnGetAttSessions8896A56DArnEDC82A75'),
  }
}

/** Logical id and properties of each resource of a type. */
export function resourcesOf(template: Template, type: string): [string, Properties][] {
  return Object.entries(template.Resources).flatMap(([id, { Type, Properties }]) =>
    Type === type ? [[id, Properties]] : [],
  )
}

function temporaryFolder(): string {
  return mkdtempSync(join(FOLDER, 'synth-'))
}
