/** Wednesday of the week: an OpenAPI document becomes tools. */
import type { Day } from './step.ts'

const DOCUMENT = `openapi: 3.1.0
info:
  title: Warehouse
  version: 1.0.0
servers:
  - url: UPSTREAM
paths:
  /items:
    get:
      operationId: listItems
      tags: [stock]
      summary: List items
      description: Lists the items of the warehouse with their stock.
      parameters:
        - { name: shelf, in: query, schema: { type: string }, description: Shelf of the items. }
      responses: { '200': { description: The items. } }
  /items/{itemId}:
    get:
      operationId: getItem
      tags: [stock]
      summary: Show an item
      description: Shows one item.
      parameters:
        - { name: itemId, in: path, required: true, schema: { type: string } }
      responses: { '200': { description: The item. } }
  /parcels:
    post:
      operationId: sendParcel
      tags: [shipping]
      summary: Send a parcel
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { order: { type: string } }, required: [order] }
      responses: { '201': { description: The parcel. } }
`

const IMPORT = 'warehouse.yaml --prefix wh --credits 0.2 --tag stock --name getItem=sg_wh_item'

export const WEDNESDAY: Day = {
  title: 'Wednesday: the importer',
  intro: 'The warehouse has an OpenAPI document. Its read operations become tools.',
  startsAt: '2026-11-04T09:00:00Z',
  steps: [
    {
      says: 'What is in the document, and what will a model pay for it in tokens?',
      saves: { 'warehouse.yaml': DOCUMENT },
      line: 'skillgate import openapi ls warehouse.yaml',
      picture: 'operations',
    },
    {
      says: 'A tag that the document does not have.',
      line: 'skillgate import openapi plan warehouse.yaml --prefix wh --credits 0.2 --tag stok',
      code: 2,
    },
    {
      says: 'What would an import change?',
      line: `skillgate import openapi plan ${IMPORT}`,
    },
    {
      says: 'What would a model read?',
      line: `skillgate import openapi plan ${IMPORT} --as-model`,
      picture: 'as-model',
    },
    { says: 'Import them.', line: `skillgate import openapi apply ${IMPORT}` },
    {
      says: 'The tools are there.',
      before: ['1', '2', '3', '4', '5'].map(
        (order) => `SKILLGATE_KEY=$BO_KEY skillgate call sg_order order=${order}`,
      ),
      line: 'skillgate call sg_wh_item itemId=A7',
    },
    {
      says: 'A week later the document has other words. The plan shows which.',
      saves: {
        'warehouse.yaml': DOCUMENT.replace(
          'Lists the items of the warehouse with their stock.',
          'Lists the items of one warehouse with their stock and their weight.',
        ),
      },
      line: `skillgate import openapi plan ${IMPORT}`,
      picture: 'changed-words',
    },
    { says: 'Import it again.', line: `skillgate import openapi apply ${IMPORT}` },
    { says: 'Has the document drifted?', line: `skillgate import openapi check ${IMPORT}` },
    {
      says: 'A selection that leaves no tool is a mistake.',
      line: "skillgate import openapi plan warehouse.yaml --prefix wh --credits 0.2 --path '/items/**' --method POST",
      code: 1,
    },
  ],
}
