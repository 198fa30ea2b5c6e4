/** Definitions that take what is not theirs: names that agree when cut, hidden characters, and a push that undoes a stop. */
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshId, postMcp, skillOf } from '../target.ts'

const ALIKE = 'x'.repeat(80)
const PARAMETERS = 40

const ALIKE_NAMES = attack({
  name: 'names-alike-when-cut',
  tried: `an import with ${PARAMETERS} parameters and two security schemes whose first 80 characters agree`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const scheme = (name: string) => ({ type: 'apiKey', in: 'header', name })
    const operation = (nth: number) => ({
      operationId: `op${nth}`,
      security: [{ [`${ALIKE}${nth}`]: [] }],
      parameters: Array.from({ length: PARAMETERS }, (_, at) => ({
        name: `${ALIKE}${at}`,
        in: 'query',
        schema: { type: 'string' },
      })),
      responses: { 200: { description: 'ok' } },
    })
    const prefix = `p${freshId()}`
    const document = {
      openapi: '3.1.0',
      info: { title: 'Alike', version: '1' },
      servers: [{ url: 'https://api.example.com' }],
      paths: { '/a': { get: operation(1) }, '/b': { get: operation(2) } },
      components: {
        securitySchemes: { [`${ALIKE}1`]: scheme('x-a'), [`${ALIKE}2`]: scheme('x-b') },
      },
    }
    await target.must('POST', 'imports/openapi:apply', {
      prefix,
      defaults: { credits: 1 },
      document,
    })
    const definitions: string[] = []
    for (const nth of [1, 2]) {
      definitions.push((await target.must('GET', `skills/official/sg_${prefix}_op${nth}`)).text)
    }
    const secrets = definitions.map((text) => /secrets\.(\w+)/.exec(text)?.[1] ?? '')
    const named = definitions.map((text) => new Set(text.match(/"x+_[A-Za-z0-9]+":/g)).size)
    return { secrets, named }
  },
  judge: ({ named, secrets }) => {
    if (new Set(secrets).size < 2) return `two services have the one secret ${secrets[0]}`
    const few = named.find((count) => count !== PARAMETERS)
    return few === undefined ? undefined : `${few} arguments for ${PARAMETERS} parameters`
  },
  held: { secrets: ['A', 'B'], named: [PARAMETERS, PARAMETERS] },
  broken: [
    { secrets: ['A', 'A'], named: [PARAMETERS, PARAMETERS] },
    { secrets: ['A', 'B'], named: [PARAMETERS, 1] },
  ],
})

/** A tag that no one sees, a text that runs backwards, and a space without width. */
const HIDDEN = ['\u{E0041}\u{E0042}', '\u202Egnp', '\u200B']
const SEEN_BY_NOBODY = /[\u{E0000}-\u{E007F}\u202A-\u202E\u200B\u2066-\u2069]/u

const HIDDEN_CHARACTERS = attack({
  name: 'hidden-characters',
  tried: 'texts that models read and people do not see, by each route that takes a skill',
  on: EVERYWHERE,
  attempt: async (target) => {
    const user = await target.user()
    const config = { endpoint: `${target.upstreams.here.url}/hidden`, method: 'GET' }
    for (const hidden of HIDDEN) {
      const parameters = { type: 'object', properties: { q: { description: `Q ${hidden}` } } }
      const meta = { name: `Find ${hidden}`, description: `Finds ${hidden} it.`, parameters }
      const skill = () => skillOf(`sg_${freshId()}`, config, { meta })
      const { source: _source, ...ofSet } = skill()
      const uid = user.uid
      // Refused or cleaned: what counts is what agents see.
      await target.ask('POST', 'sync_skill', JSON.stringify(skill()))
      await target.ask('POST', 'sync_skill', JSON.stringify([skill()]))
      await target.ask('POST', `sync_skill?source=private&uid=${uid}`, JSON.stringify(ofSet))
      await target.ask('POST', `skills:apply?set=s${freshId()}`, JSON.stringify([ofSet]))
      const yaml = `~~~yaml\nsource: official\ncredits_per_call: 0\nendpoint: ${config.endpoint}\n~~~`
      const json = '~~~json\n{"type":"object","properties":{}}\n~~~'
      await target.ask(
        'POST',
        'sync_skill',
        `# Find ${hidden}\n\nFinds ${hidden}.\n\n${yaml}\n\n${json}\n`,
      )
      await target.ask('POST', 'imports/openapi:apply', importOf(`p${freshId()}`, hidden))
    }
    const list = (cursor?: string) =>
      postMcp(
        target,
        user.key,
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/list',
          params: cursor === undefined ? {} : { cursor },
        }),
      )
    const { text } = await list()
    return {
      listed: JSON.stringify(JSON.parse(text)),
      count: text.split('"inputSchema"').length - 1,
    }
  },
  judge: ({ count, listed }) => {
    const at = SEEN_BY_NOBODY.exec(listed)?.index
    if (at !== undefined)
      return `tools/list shows ${JSON.stringify(listed.slice(at - 60, at + 20))}`
    return count > 0 ? undefined : 'nothing was listed'
  },
  held: { listed: '{"tools":[{"description":"Finds it."}]}', count: 1 },
  broken: [
    { listed: '{"tools":[{"description":"Finds \u200B it."}]}', count: 1 },
    { listed: '{"tools":[{"description":"\u{E0041}"}]}', count: 1 },
    { listed: '{"tools":[]}', count: 0 },
  ],
})

function importOf(prefix: string, hidden: string): object {
  const operation = {
    operationId: 'find',
    summary: `Finds ${hidden}`,
    parameters: [
      { name: 'q', in: 'query', description: `Q ${hidden}`, schema: { type: 'string' } },
    ],
    responses: { 200: { description: 'ok' } },
  }
  const document = {
    openapi: '3.1.0',
    info: { title: `T ${hidden}`, version: '1' },
    servers: [{ url: 'https://api.example.com' }],
    paths: { '/find': { get: operation } },
  }
  return { prefix, defaults: { credits: 0 }, document }
}

const STOP = attack({
  name: 'stop-undone',
  tried: 'a stopped skill is pushed again, put by a set, and rolled back, then called',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { key } = await target.user()
    const config = { endpoint: `${target.upstreams.here.url}/stopped`, method: 'GET' }
    const id = `sg_${freshId()}`
    const { source: _source, ...ofSet } = skillOf(id, config)
    const pushed = (path: string) => ({
      ...skillOf(id, { ...config, endpoint: `${config.endpoint}${path}` }),
    })
    await target.must('POST', 'sync_skill', pushed('/1'))
    const control = (await target.call(key, callText(id))).status
    await target.must('PATCH', `skills/official/${id}`, { state: 'disabled', reason: 'Broken.' })
    const statuses: number[] = []
    for (const write of [
      () => target.must('POST', 'sync_skill', pushed('/2')),
      () => target.ask('POST', 'sync_skill', JSON.stringify([pushed('/3')])),
      () =>
        target.ask(
          'POST',
          `skills:apply?set=s${freshId()}&edits=overwrite`,
          JSON.stringify([ofSet]),
        ),
      () => target.ask('POST', `skills/official/${id}/rollback`, { version: 1 }),
    ]) {
      await write()
      statuses.push((await target.call(key, callText(id))).status)
    }
    return { control, statuses }
  },
  judge: ({ control, statuses }) => {
    if (control !== 200) return `the skill could not be called before it was stopped: ${control}`
    const served = statuses.filter((status) => status === 200).length
    return served === 0 ? undefined : `${served} writes started the stopped skill`
  },
  held: { control: 200, statuses: [409, 409] },
  broken: [
    { control: 200, statuses: [409, 200] },
    { control: 404, statuses: [409] },
  ],
})

export const DEFINITION_ATTACKS = [ALIKE_NAMES, HIDDEN_CHARACTERS, STOP]
