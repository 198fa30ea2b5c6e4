/** HTML tables in Markdown. */
import { describe, expect, test } from 'vitest'
import { convertToMarkdown } from '../../../adapters/hooks/markdown.ts'

const table = (rows: string, attributes = '') =>
  convertToMarkdown(`<table${attributes}>${rows}</table>`)
const HEAD = '<thead><tr><th>City</th><th>People</th></tr></thead>'

describe('a table', () => {
  test('with a heading becomes a table', () => {
    const rows = `${HEAD}<tbody>
      <tr><td>Oslo</td><td>700,000</td></tr>
      <tr><td><a href="/b">Bergen</a></td><td><b>290,000</b></td></tr></tbody>`
    expect(table(rows)).toBe(
      '| City | People |\n| --- | --- |\n| Oslo | 700,000 |\n| [Bergen](/b) | **290,000** |',
    )
  })

  test('without thead takes a first row of th for its heading', () => {
    const rows = '<tr><th>a<th>b<tr><td>1<td>2'
    expect(table(rows)).toBe('| a | b |\n| --- | --- |\n| 1 | 2 |')
  })

  test('without a heading gets an empty one: no value becomes a name', () => {
    expect(table('<tr><td>Oslo</td><td>1</td></tr><tr><th>Bergen</th><td>2</td></tr>')).toBe(
      '|  |  |\n| --- | --- |\n| Oslo | 1 |\n| Bergen | 2 |',
    )
  })

  test('keeps its place between paragraphs, and its caption before it', () => {
    const html = `<p>Before</p><table><caption>Cities</caption>${HEAD}</table><p>After</p>`
    expect(convertToMarkdown(html)).toBe(
      'Before\n\nCities\n\n| City | People |\n| --- | --- |\n\nAfter',
    )
  })

  test('keeps each cell on one line, and bars inside it', () => {
    const rows = `${HEAD}<tr><td><p>one</p><p>two<br>three</p></td><td>a|b <code>c|d</code></td></tr>`
    expect(table(rows)).toBe(
      '| City | People |\n| --- | --- |\n| one<br>two<br>three | a\\|b `c\\|d` |',
    )
  })

  test('keeps values under their headings where cells span rows and columns', () => {
    const rows = `<tr><th>a</th><th colspan="2">b</th><th>c</th></tr>
      <tr><td rowspan="2">1</td><td>2</td><td>3</td><td rowspan="2">4</td></tr>
      <tr><td>5</td><td>6</td></tr><tr><td>7</td></tr>`
    expect(table(rows)).toBe(
      '| a | b |  | c |\n| --- | --- | --- | --- |\n| 1 | 2 | 3 | 4 |\n|  | 5 | 6 |  |\n| 7 |',
    )
  })

  test('has as many headings as its longest row', () => {
    expect(table('<tr><th>a</th></tr><tr><td>1</td><td>2</td></tr>')).toBe(
      '| a |  |\n| --- | --- |\n| 1 | 2 |',
    )
  })

  test('with empty cells and rows keeps them', () => {
    expect(table(`${HEAD}<tr><td></td><td>1</td></tr><tr><td></td><td></td></tr>`)).toBe(
      '| City | People |\n| --- | --- |\n|  | 1 |\n|  |  |',
    )
  })

  test.each([
    ['colspan', '<td colspan="50">x</td>', '<td colspan="51">x</td>'],
    ['rowspan', '<td>a</td><td rowspan="50">x</td>', '<td>a</td><td rowspan="51">x</td>'],
  ])('takes a %s of 50, and a larger one for 50', (_what, fits, large) => {
    const rest = '<tr><td>y</td></tr>'.repeat(60)
    const made = table(`<tr>${fits}<td>z</td></tr>${rest}`)
    expect(table(`<tr>${large}<td>z</td></tr>${rest}`)).toBe(made)
    expect(table(`<tr>${fits.replace('50', '49')}<td>z</td></tr>${rest}`)).not.toBe(made)
  })

  test.each([['0'], ['-3'], ['x'], ['']])('takes a span of %j for one', (span) => {
    expect(table(`<tr><th colspan="${span}" rowspan="${span}">a</th><th>b</th></tr>`)).toBe(
      '| a | b |\n| --- | --- |',
    )
  })
})

describe('a table that lays the page out', () => {
  test('a table stays lines when another table is inside it, which becomes a table', () => {
    const inner = '<table><tr><th>a</th><th>b</th></tr></table>'
    expect(table(`<tr><td><p>Menu</p></td><td><h1>Page</h1>${inner}</td></tr>`)).toBe(
      'Menu\n\n# Page\n\n| a | b |\n| --- | --- |',
    )
  })

  test('a table of one column and no heading stays lines', () => {
    expect(table('<tr><td><h1>Page</h1><p>text</p></td></tr><tr><td>foot</td></tr>')).toBe(
      '# Page\n\ntext\n\nfoot',
    )
  })

  test('a table that says that it lays the page out stays lines', () => {
    expect(table('<tr><td>a</td><td>b</td></tr>', ' role="presentation"')).toBe('a\n\nb')
  })
})
