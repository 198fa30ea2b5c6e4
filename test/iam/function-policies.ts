/**
 * The policy of each function's role as a stage synthesizes it, with the references of its template replaced by
 * the ARNs of a running world. A reference of another kind is an error.
 */
import { type Door, FUNCTIONS, type FunctionName } from '../../lib/doors.ts'
import type { Stage } from '../../lib/stage.ts'
import { statementsOfRole } from '../lib/expected-grants.ts'
import { resourcesOf, synthesize, type Template } from '../lib/synthesized.ts'
import { readStatements, type Statement } from './policy.ts'
import type { Account } from './service-authorizations.ts'

/** ARNs of the world, and the account in which everything else is imagined to be. */
export type World = Account & {
  readonly gatewayTable: string
  readonly sessionsTable: string
  readonly sessionsStream: string
  readonly userSecretsKey: string
  readonly adminSecret: string
  readonly internalSecret: string
}

/** The one bucket of a stage. */
export const ARCHIVE_BUCKET = 'archive-of-the-stage'

export type FunctionPolicies = Readonly<Record<Door, readonly Statement[]>>

/** As in the policy documents, references resolved; for tests that change them. */
export type RawPolicies = Readonly<Record<Door, readonly unknown[]>>

/** Synthesizes: call it outside of tests, as {@link synthesize}. */
export function rawPolicies(stage: Stage, world: World): RawPolicies {
  const { data, gateway } = synthesize(stage)
  const policyOf = (door: Door) =>
    statementsOfRole(gateway, roleOf(gateway, door)).map((statement) =>
      Object.fromEntries(
        Object.entries(statement).map(([element, value]) => [
          element,
          element === 'Resource' ? resolvedList(value, { gateway, data, world }) : value,
        ]),
      ),
    )
  return forEachDoor(policyOf)
}

export function readPolicies(raw: RawPolicies): FunctionPolicies {
  return forEachDoor((door) => readStatements(raw[door]))
}

function forEachDoor<T>(make: (door: Door) => T): Readonly<Record<Door, T>> {
  return {
    sse: make('sse'),
    messages: make('messages'),
    mcp: make('mcp'),
    execute: make('execute'),
    admin: make('admin'),
    sweep: make('sweep'),
    usage: make('usage'),
  }
}

/** The ARN of a function's alias, in whose name its URL is called, or the function is invoked. */
export function aliasArn(
  { region, accountId }: Account,
  name: FunctionName,
  alias: string,
): string {
  return `arn:aws:lambda:${region}:${accountId}:function:${name}:${alias}`
}

/** The secret of a stage whose events go to a webhook. */
export function eventsSecretArn({ region, accountId }: Account): string {
  return `arn:aws:secretsmanager:${region}:${accountId}:secret:EventsSecret-AbC123`
}

type Templates = { readonly gateway: Template; readonly data: Template; readonly world: World }

function roleOf(template: Template, door: Door): string {
  const roles = resourcesOf(template, 'AWS::Lambda::Function').flatMap(([, properties]) => {
    const isDoor = String(properties['Description']).endsWith(`: the ${door} door`)
    return isDoor ? [Reflect.get(Object(properties['Role']), 'Fn::GetAtt')] : []
  })
  const [role, ...others] = roles.map((attribute) => (Array.isArray(attribute) ? attribute[0] : ''))
  if (typeof role === 'string' && role !== '' && others.length === 0) return role
  throw new Error(`template: the ${door} function has not one role`)
}

function resolvedList(value: unknown, templates: Templates): readonly string[] {
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  return list.map((one) => resolved(one, templates.gateway, templates))
}

function resolved(value: unknown, inside: Template, templates: Templates): string {
  if (typeof value === 'string') return value
  const [[kind, target] = ['', undefined], ...others] = Object.entries(Object(value))
  if (others.length > 0) throw new Error(`template: unknown reference ${JSON.stringify(value)}`)
  switch (kind) {
    case 'Fn::GetStackOutput': {
      const output = templates.data.Outputs[String(Reflect.get(Object(target), 'OutputName'))]
      return resolved(output?.Value, templates.data, templates)
    }
    case 'Fn::GetAtt': {
      const [id = '', attribute = ''] = Array.isArray(target) ? target.map(String) : []
      return arnOf(inside, id, attribute, templates.world)
    }
    case 'Fn::Join': {
      const [separator = '', parts] = Array.isArray(target) ? target : []
      const texts: readonly unknown[] = Array.isArray(parts) ? parts : []
      return texts.map((part) => resolved(part, inside, templates)).join(String(separator))
    }
    case 'Ref':
      if (isPseudo(target)) return pseudo(target, templates.world)
      return arnOf(inside, String(target), 'Ref', templates.world)
  }
  throw new Error(`template: unknown reference ${JSON.stringify(value)}`)
}

const PSEUDO = ['AWS::AccountId', 'AWS::Partition', 'AWS::Region'] as const

function isPseudo(name: unknown): name is (typeof PSEUDO)[number] {
  return PSEUDO.some((one) => one === name)
}

function pseudo(name: (typeof PSEUDO)[number], { accountId, region }: Account): string {
  return { 'AWS::AccountId': accountId, 'AWS::Partition': 'aws', 'AWS::Region': region }[name]
}

function arnOf(template: Template, id: string, attribute: string, world: World): string {
  const { Type: type, Properties: properties } = template.Resources[id] ?? {}
  switch (`${type} ${attribute}`) {
    case 'AWS::DynamoDB::GlobalTable Arn':
      return id.startsWith('Gateway') ? world.gatewayTable : world.sessionsTable
    case 'AWS::DynamoDB::GlobalTable StreamArn':
      return id.startsWith('Gateway') ? `${world.gatewayTable}/stream/news` : world.sessionsStream
    case 'AWS::SQS::Queue Arn':
      return `arn:aws:sqs:${world.region}:${world.accountId}:${id}`
    case 'AWS::S3::Bucket Arn':
      return `arn:aws:s3:::${ARCHIVE_BUCKET}`
    case 'AWS::KMS::Key Arn':
      return world.userSecretsKey
    case 'AWS::SecretsManager::Secret Ref':
      if (id.startsWith('Events')) return eventsSecretArn(world)
      return id.startsWith('Admin') ? world.adminSecret : world.internalSecret
    case 'AWS::Logs::LogGroup Arn':
      return `arn:aws:logs:${world.region}:${world.accountId}:log-group:${id}`
    case 'AWS::Lambda::Alias Ref': {
      const door = FUNCTIONS.find((one) => id.toLowerCase().startsWith(one))
      if (door !== undefined) return aliasArn(world, door, String(properties?.['Name']))
      break
    }
  }
  throw new Error(`template: no ARN for ${id}.${attribute} (${type})`)
}
