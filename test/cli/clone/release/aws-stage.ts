/**
 * A deployed stage on a server of this machine: its stack, its aliases, its composite alarms and its
 * record of releases, with as much of AWS's rules as a release meets: signatures by service,
 * revisions of aliases, weights, and stacks that something changes.
 */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const STACK = 'Skillgate-dev-Gateway'

type Alias = { version: string; weights: { [version: string]: number }; revision: number }
type Answer = { readonly status: number; readonly body: string }
type Asked = { readonly what: string; readonly text: string }

export class AwsStage {
  /** Aliases by `function:alias`. */
  readonly aliases = new Map<string, Alias>()
  /** Newest versions by door. */
  readonly newest: { [door: string]: string } = {}
  readonly parameters: { [name: string]: string } = { BootstrapVersion: '30' }
  /** States by the names of composite alarms. */
  readonly alarms: { [name: string]: string } = {}
  /** Outputs of the stack besides those of the functions. */
  outputs: { readonly [name: string]: string } = {}
  /** The Gateway table of versions, as `fn-Mcp:7`. */
  readonly tables = new Map<string, string>()
  releases = '[]'
  status = 'CREATE_COMPLETE'
  isDeployed = true
  /** What was asked, as `lambda PUT …`. */
  readonly asked: string[] = []
  /** Sees each request first, and may change the stage, or answer in its place. */
  intercept: (asked: Asked) => Answer | undefined = () => undefined
  private server: Server | undefined
  private readonly aliasNames: { [door: string]: readonly string[] } = {}

  constructor(doors: { readonly [door: string]: readonly string[] }, version = '7') {
    for (const [door, names] of Object.entries(doors)) {
      this.aliasNames[door] = names
      this.newest[door] = version
      this.parameters[`Live${door}Version`] = version
      for (const name of names) {
        this.aliases.set(`fn-${door}:${name}`, { version, weights: {}, revision: 1 })
      }
    }
  }

  async listen(): Promise<{ readonly [name: string]: string }> {
    this.server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const { body, status } = this.answer(request, Buffer.concat(chunks).toString())
      response.writeHead(status).end(body)
    })
    await new Promise<void>((resolve) => this.server?.listen(0, '127.0.0.1', resolve))
    const { port } = this.server.address() as AddressInfo
    return { AWS_ENDPOINT_URL: `http://127.0.0.1:${port}`, AWS_REGION: 'eu-central-1' }
  }

  close(): void {
    this.server?.close()
    this.server?.closeAllConnections()
  }

  /** Where each alias stands: `7`, or `7 (8: 0.1)` in a canary. */
  standing(): { readonly [alias: string]: string } {
    return Object.fromEntries(
      [...this.aliases].map(([name, { version, weights }]) => {
        const canary = Object.entries(weights).map(([other, weight]) => ` (${other}: ${weight})`)
        return [name, `${version}${canary.join('')}`]
      }),
    )
  }

  /** Moves an alias as somebody else does. */
  move(name: string, version: string): void {
    const alias = this.aliases.get(name)
    this.aliases.set(name, { version, weights: {}, revision: (alias?.revision ?? 0) + 1 })
  }

  /** Answers a request that somebody else may have received. */
  answer(request: IncomingMessage, text: string): Answer {
    const service =
      /Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/([a-z]+)\/aws4_request/.exec(
        request.headers.authorization ?? '',
      )?.[1] ?? 'unsigned'
    const target = String(request.headers['x-amz-target'] ?? '').replace(/^.*\./, '')
    const action = new URLSearchParams(text).get('Action') ?? target
    const path = service === 'lambda' ? ` ${request.url}` : ''
    const what = `${service} ${request.method}${path}${action === '' ? '' : ` ${action}`}`
    this.asked.push(what)
    const given = this.intercept({ what, text })
    if (given !== undefined) return given
    switch (what) {
      case 'cloudformation POST DescribeStacks':
        return this.isDeployed
          ? done(this.describeStack())
          : refused(`Stack with id ${STACK} does not exist`)
      case 'cloudformation POST UpdateStack':
        return this.updateStack(new URLSearchParams(text))
      case 'monitoring POST DescribeAlarms':
        return done(this.describeAlarms(new URLSearchParams(text)))
      case 'ssm POST GetParameter':
        return done(JSON.stringify({ Parameter: { Value: this.releases } }))
      case 'ssm POST PutParameter':
        this.releases = JSON.parse(text).Value
        return done('{"Version":2}')
      default:
        return service === 'lambda' ? this.answerAlias(request, text) : refused(`what is ${what}?`)
    }
  }

  private answerAlias({ method, url = '' }: IncomingMessage, text: string): Answer {
    const version = /^\/2015-03-31\/functions\/([^/]+)\/configuration\?Qualifier=(\d+)$/.exec(url)
    if (version !== null) {
      const GATEWAY_TABLE = this.tables.get(`${version[1]}:${version[2]}`)
      return done(JSON.stringify({ Environment: { Variables: { GATEWAY_TABLE } } }))
    }
    const [, name = '', aliasName = ''] =
      /^\/2015-03-31\/functions\/([^/]+)\/aliases\/(\w+)$/.exec(url) ?? []
    const alias = this.aliases.get(`${name}:${aliasName}`)
    if (alias === undefined) return { status: 404, body: '{"Message":"no such alias"}' }
    if (method === 'PUT') {
      const { FunctionVersion, RevisionId, RoutingConfig } = JSON.parse(text)
      if (RevisionId !== String(alias.revision)) {
        return { status: 412, body: '{"Message":"The RevisionId provided does not match"}' }
      }
      const weights = RoutingConfig.AdditionalVersionWeights
      if (Object.keys(weights).includes(FunctionVersion)) return refused('one version twice')
      alias.version = FunctionVersion
      alias.weights = weights
      alias.revision += 1
    }
    return done(
      JSON.stringify({
        FunctionVersion: alias.version,
        RevisionId: String(alias.revision),
        ...(Object.keys(alias.weights).length === 0
          ? {}
          : { RoutingConfig: { AdditionalVersionWeights: alias.weights } }),
      }),
    )
  }

  private describeStack(): string {
    const outputs = Object.entries(this.newest).map(([door, newest]) => [
      `${door}Release`,
      JSON.stringify({
        function: `fn-${door}`,
        aliases: this.aliasNames[door],
        parameter: `Live${door}Version`,
        newest,
      }).replaceAll('"', '&quot;'),
    ])
    const members = (kind: string, pairs: readonly (readonly unknown[])[]) =>
      pairs.map(([key, value]) =>
        value === ''
          ? `<member><${kind}Key>${key}</${kind}Key><${kind}Value/></member>`
          : `<member><${kind}Value>${value}</${kind}Value><${kind}Key>${key}</${kind}Key></member>`,
      )
    return `<DescribeStacksResponse><DescribeStacksResult><Stacks><member>
      <Parameters>${members('Parameter', Object.entries(this.parameters)).join('')}</Parameters>
      <StackStatus>${this.status}</StackStatus>
      <Outputs>${members('Output', [...outputs, ...Object.entries(this.outputs), ['ReleasesParameter', 'CFN-Releases']]).join('')}</Outputs>
      </member></Stacks></DescribeStacksResult></DescribeStacksResponse>`
  }

  /** Changes parameters as CloudFormation does, which moves the aliases of those that differ. */
  private updateStack(form: URLSearchParams): Answer {
    if (this.status.endsWith('_IN_PROGRESS')) {
      return refused(`Stack:${STACK} is in ${this.status} state and can not be updated.`)
    }
    if (form.get('UsePreviousTemplate') !== 'true') return refused('no template')
    const given = new Map<string, string | undefined>()
    for (let at = 1; form.has(`Parameters.member.${at}.ParameterKey`); at += 1) {
      const member = `Parameters.member.${at}`
      const value = form.get(`${member}.ParameterValue`) ?? undefined
      given.set(form.get(`${member}.ParameterKey`) ?? '', value)
    }
    const lacking = Object.keys(this.parameters).filter((name) => !given.has(name))
    if (lacking.length > 0) return refused(`Parameters: [${lacking}] must have values`)
    const changed = [...given].filter(
      ([name, value]) => value !== undefined && this.parameters[name] !== value,
    )
    if (changed.length === 0) return refused('No updates are to be performed.')
    for (const [name, value = ''] of changed) {
      this.parameters[name] = value
      const door = /^Live(\w+)Version$/.exec(name)?.[1] ?? ''
      for (const alias of this.aliasNames[door] ?? []) this.move(`fn-${door}:${alias}`, value)
    }
    this.status = 'UPDATE_COMPLETE'
    return done('<UpdateStackResponse/>')
  }

  private describeAlarms(form: URLSearchParams): string {
    const asked = [1, 2].map((at) => form.get(`AlarmNames.member.${at}`))
    if (form.get('AlarmTypes.member.1') !== 'CompositeAlarm') return '<DescribeAlarmsResponse/>'
    const members = Object.entries(this.alarms)
      .filter(([name]) => asked.includes(name))
      .map(
        ([name, state]) =>
          `<member><AlarmActions><member>arn:topic</member></AlarmActions><AlarmName>${name}</AlarmName><StateValue>${state}</StateValue></member>`,
      )
    return `<DescribeAlarmsResponse><CompositeAlarms>${members.join('')}</CompositeAlarms></DescribeAlarmsResponse>`
  }
}

function done(body: string): Answer {
  return { status: 200, body }
}

export function refused(message: string): Answer {
  return {
    status: 400,
    body: `<Error><Code>ValidationError</Code><Message>${message}</Message></Error>`,
  }
}
