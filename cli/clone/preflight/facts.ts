/** Reads the account: three signed requests that change nothing. */
import { awsAccount, type Environment } from '../../aws/ask-service.ts'

export type AccountFacts = {
  readonly account: string
  readonly caller: string
  readonly region: string
  /** Concurrent executions that all functions of the account and region share. */
  readonly concurrency: number
  /** The part that no function has reserved. */
  readonly unreserved: number
  /** The role of API Gateway's logs; undefined when none is set. */
  readonly apiLogRole: string | undefined
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

/**
 * Throws an error that says what to do when there are no credentials, no region or no permission.
 */
export async function readFacts(env: Environment): Promise<AccountFacts> {
  const { ask, region } = await awsAccount(env)
  const body = 'Action=GetCallerIdentity&Version=2011-06-15'
  const caller = await ask({ service: 'sts', path: '/', body, headers: FORM })
  const settings = await ask({ service: 'lambda', path: '/2016-08-19/account-settings/' })
  const api = await ask({ service: 'apigateway', path: '/account' })
  const limits = fieldsOf(fieldsOf(JSON.parse(settings))['AccountLimit'])
  const role = fieldsOf(JSON.parse(api))['cloudwatchRoleArn']
  return {
    account: elementOf(caller, 'Account'),
    caller: elementOf(caller, 'Arn'),
    region,
    concurrency: countOf(limits, 'ConcurrentExecutions'),
    unreserved: countOf(limits, 'UnreservedConcurrentExecutions'),
    apiLogRole: typeof role === 'string' && role !== '' ? role : undefined,
  }
}

/** STS answers XML, or JSON with the same names. */
function elementOf(text: string, name: string): string {
  const [, xml, json] = new RegExp(`<${name}>([^<]+)<|"${name}":\\s*"([^"]+)"`).exec(text) ?? []
  const value = xml ?? json
  if (value === undefined) throw new Error(`sts: its answer has no ${name}`)
  return value
}

function fieldsOf(value: unknown): { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function countOf(fields: { readonly [name: string]: unknown }, name: string): number {
  const value = fields[name]
  if (typeof value !== 'number') throw new Error(`lambda: its account settings have no ${name}`)
  return value
}
