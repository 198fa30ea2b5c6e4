/**
 * Reads the account, and what it has of the stage, by signed requests that change nothing. Without
 * three of the answers there is no verdict; the others may be denied to the caller.
 */
import { EDGE_REGION, hasEdgeGlobal } from '../../../lib/edge/edge-origin.ts'
import type { Stage } from '../../../lib/stage.ts'
import { type Environment, openAwsAccount } from '../../aws/ask-service.ts'
import {
  readOwnReserved,
  readStackStates,
  readUnconfirmedMails,
  type StackState,
} from './deployed-stage.ts'
import { type Learned, learn } from './learned.ts'
import { type MailSender, readMailSender } from './mail-sender.ts'
import { probePublicUrls, readBootstrapVersion } from './probes.ts'

export type AccountFacts = {
  readonly account: string
  readonly caller: string
  readonly region: string
  /** Concurrent executions that all functions of the account and region share. */
  readonly concurrency: number
  /** The part of `concurrency` that no function has reserved. */
  readonly unreserved: number
  /** The role by which API Gateway writes logs; undefined if none is set. */
  readonly apiLogRole: string | undefined
  /** The stacks of the stage that exist. */
  readonly stacks: Learned<readonly StackState[]>
  /** The executions that the functions of this stage have reserved; they are not in `unreserved`. */
  readonly ownReserved: Learned<number>
  /** The version of the CDK's bootstrap stack, 0 if there is none. */
  readonly bootstrapVersion: Learned<number>
  /** The same for other regions in which the stage has stacks. */
  readonly otherBootstraps: readonly OtherBootstrap[]
  /** Why public function URLs are denied; undefined if they are not. */
  readonly urlDenial: Learned<string | undefined>
  /** Addresses to which the deployed alarms send nothing. */
  readonly unconfirmedMails: Learned<readonly string[]>
  /** Undefined for a stage whose events are not mailed. */
  readonly mailSender: Learned<MailSender> | undefined
}

export type OtherBootstrap = { readonly region: string; readonly version: Learned<number> }

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/** The fields that say which stacks a stage has, and who mails its events. */
export type PlacedStage = Pick<
  Stage,
  | 'edgeDomain'
  | 'edgeFirewall'
  | 'edgeHostedZoneId'
  | 'eventTargets'
  | 'eventsFrom'
  | 'name'
  | 'replicaRegion'
>

/**
 * Reads the facts for the stage. Throws an Error that says what to do if credentials,
 * region or the permissions for account, quota or API Gateway are missing.
 */
export async function readFacts(env: Environment, placed: PlacedStage): Promise<AccountFacts> {
  const { name: stage } = placed
  const { ask, region } = await openAwsAccount(env)
  const body = 'Action=GetCallerIdentity&Version=2011-06-15'
  const caller = await ask({ service: 'sts', path: '/', body, headers: FORM })
  const settings = await ask({ service: 'lambda', path: '/2016-08-19/account-settings/' })
  const api = await ask({ service: 'apigateway', path: '/account' })
  const limits = toFields(toFields(JSON.parse(settings))['AccountLimit'])
  const role = toFields(JSON.parse(api))['cloudwatchRoleArn']
  const [stacks, ownReserved, bootstrapVersion, urlDenial, unconfirmedMails] = await Promise.all([
    learn(() => readStackStates(ask, stage)),
    learn(() => readOwnReserved(ask, stage)),
    learn(() => readBootstrapVersion(ask)),
    learn(() => probePublicUrls(ask)),
    learn(() => readUnconfirmedMails(ask, stage)),
  ])
  return {
    account: readElement(caller, 'Account'),
    caller: readElement(caller, 'Arn'),
    region,
    concurrency: readCount(limits, 'ConcurrentExecutions'),
    unreserved: readCount(limits, 'UnreservedConcurrentExecutions'),
    apiLogRole: typeof role === 'string' && role !== '' ? role : undefined,
    stacks,
    ownReserved,
    bootstrapVersion,
    otherBootstraps: await readOtherBootstraps(env, placed, region),
    urlDenial,
    unconfirmedMails,
    mailSender: await readMailSender(ask, placed),
  }
}

async function readOtherBootstraps(
  env: Environment,
  stage: PlacedStage,
  own: string,
): Promise<readonly OtherBootstrap[]> {
  const { replicaRegion } = stage
  const regions = new Set([
    ...(hasEdgeGlobal(stage) ? [EDGE_REGION] : []),
    ...(replicaRegion === undefined ? [] : [replicaRegion]),
  ])
  regions.delete(own)
  return Promise.all(
    [...regions].map(async (region) => {
      const { ask } = await openAwsAccount({ ...env, AWS_REGION: region })
      return { region, version: await learn(() => readBootstrapVersion(ask)) }
    }),
  )
}

/** Reads a field of an STS response, which is XML, or JSON with the same names. */
function readElement(text: string, name: string): string {
  const [, xml, json] = new RegExp(`<${name}>([^<]+)<|"${name}":\\s*"([^"]+)"`).exec(text) ?? []
  const value = xml ?? json
  if (value === undefined) throw new Error(`sts: its answer has no ${name}`)
  return value
}

function toFields(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function readCount(fields: { readonly [name: string]: unknown }, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number') throw new Error(`lambda: its account settings have no ${name}`)
  return value
}
