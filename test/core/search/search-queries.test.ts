/**
 * Queries that people type, and the tools that they mean: inflections, spellings, typing mistakes, whole
 * sentences.
 */
import { describe, expect, test } from 'vitest'
import { indexTools } from '../../../core/search/index-tools.ts'
import { searchTools } from '../../../core/search/search-tools.ts'
import type { Tool } from '../../../core/skills/skill.ts'

function tool(name: string, description: string, more: Partial<Tool> = {}): Tool {
  return {
    name,
    title: undefined,
    description,
    inputSchema: { type: 'object' },
    skillId: name,
    priceMicroCredits: 0,
    ...more,
  }
}

const TOOLS = [
  tool('sg_weather', 'Tells the weather of a city.', { title: 'Weather forecast' }),
  tool('sg_send_email', 'Sends an email to a person. You can attach files and open a thread.'),
  tool('sg_stock', 'The price of a share.'),
  tool('sg_invoice', 'Writes an invoice to a customer.'),
  tool('sg_book_hotel', 'Books a room in a hotel.'),
  tool('sg_order', 'Orders a pizza.', { emoji: '🍕' }),
  tool('sg_diner', 'Finds a diner.', { title: '🍔 Diner' }),
  tool('sg_translate', 'Translates a text.'),
  tool('sg_rechnung', 'Schreibt eine Rechnung.'),
  tool('sg_address', 'Sucht eine Straße in Österreich.'),
  tool('sg_shoes', 'Die Größe eines Schuhs.'),
  tool('sg_moebel', 'Sucht Moebel und Stuehle.'),
  tool('sg_calendar', 'Makes an appointment.'),
  tool('sg_agenda', 'Lists appointments of a day.'),
  tool('sg_github', 'Opens an issue in a repository.'),
  tool('sg_account', 'How many credits do I have? Is there an allowance for me?'),
  tool('sg_flight', 'Zeigt Flüge in alle Städte.', { title: 'Flug 🇦🇹' }),
]

const VERBS = ['list', 'get', 'update', 'delete', 'create', 'search', 'archive', 'export'] as const
const NOUNS = ['invoice', 'card', 'repository', 'ticket', 'contact', 'order', 'refund'] as const

function found(query: string, tools: readonly Tool[] = TOOLS): readonly string[] {
  return searchTools([{ index: indexTools(tools) }], query, 10).map(({ name }) => name)
}

describe('a query', () => {
  test.each([
    // Plurals and other forms.
    ['emails', 'sg_send_email'],
    ['prices', 'sg_stock'],
    ['pricing', 'sg_stock'],
    ['invoices', 'sg_invoice'],
    ['customers', 'sg_invoice'],
    ['hotels', 'sg_book_hotel'],
    ['booking', 'sg_book_hotel'],
    ['pizzas', 'sg_order'],
    ['cities', 'sg_weather'],
    ['repositories', 'sg_github'],
    ['translation', 'sg_translate'],
    ['translator', 'sg_translate'],
    ['Rechnungen', 'sg_rechnung'],
    ['Stadt', 'sg_flight'],
    // Other spellings.
    ['WEATHER', 'sg_weather'],
    ['strasse', 'sg_address'],
    ['Straßen', 'sg_address'],
    ['STRASSE', 'sg_address'],
    ['groesse', 'sg_shoes'],
    ['grösse', 'sg_shoes'],
    ['oesterreich', 'sg_address'],
    ['oesterr', 'sg_address'],
    ['Möbel', 'sg_moebel'],
    ['Stühle', 'sg_moebel'],
    ['Fluege', 'sg_flight'],
    // Typing mistakes.
    ['wether', 'sg_weather'],
    ['emial', 'sg_send_email'],
    ['invoce', 'sg_invoice'],
    ['trnslate', 'sg_translate'],
    ['hotrl', 'sg_book_hotel'],
    // Longer than the word that is there.
    ['weatherman', 'sg_weather'],
    // Emoji.
    ['🍕', 'sg_order'],
    ['🍔', 'sg_diner'],
    ['order 🍕!', 'sg_order'],
    ['🇦🇹', 'sg_flight'],
    // Sentences.
    ['how do I open an issue?', 'sg_github'],
    ['Wie ist das Wetter in der Stadt?', 'sg_weather'],
    ['can you book a hotel for me', 'sg_book_hotel'],
    ['ich möchte eine Rechnung', 'sg_rechnung'],
  ])('the query %j finds %s first', (query, name) => {
    expect(found(query)[0]).toBe(name)
  })

  test('in the plural finds the singular too, behind the plural', () => {
    const tools = [tool('sg_a', 'Makes an appointment.'), tool('sg_b', 'Lists appointments.')]
    expect(found('appointments', tools)).toEqual(['sg_b', 'sg_a'])
    expect(found('appointment', tools)).toEqual(['sg_a', 'sg_b'])
  })

  test('is not matched by its common words', () => {
    expect(found('how do I open an issue?').slice(0, 2)).toEqual(['sg_github', 'sg_send_email'])
    expect(found('is there an issue for me')).toEqual(['sg_github'])
  })

  test('of common words alone is searched for', () => {
    expect(found('there')).toEqual(['sg_account'])
    expect(found('me')[0]).toBe('sg_account')
  })

  test('finds the word, then its beginning, then its other forms, and slips only if there is nothing else', () => {
    const tools = [
      tool('sg_d', 'bookers'),
      tool('sg_c', 'booking'),
      tool('sg_b', 'bookingly'),
      tool('sg_a', 'boomkinh'),
    ]
    expect(found('booking', tools)).toEqual(['sg_c', 'sg_b'])
    expect(found('books', tools)).toEqual(['sg_c', 'sg_d'])
    expect(found('boomkin', [tool('sg_a', 'bomkin')])).toEqual(['sg_a'])
  })

  test('looks for slips in words of 5 letters or more, and not in numbers', () => {
    const tools = [tool('sg_a', 'mail 12345'), tool('sg_b', 'mails')]
    expect(found('mxil', tools)).toEqual([])
    expect(found('mxils', tools)).toEqual(['sg_b'])
    expect(found('12346', [tool('sg_a', '92346')])).toEqual([])
  })

  test('takes words for forms of one that begin alike for 4 letters, with endings of 4 letters at most', () => {
    expect(found('weatherwxyz')).toEqual(['sg_weather'])
    expect(found('weathervwxyz')).toEqual([])
    expect(found('bagr', [tool('sg_a', 'bagx')])).toEqual([])
  })

  test('finds every word that holds a part, each once', () => {
    const tools = [tool('sg_a', 'headlines'), tool('sg_b', 'outlined'), tool('sg_c', 'online')]
    expect(found('line', tools)).toEqual(['sg_a', 'sg_b', 'sg_c'])
  })

  test('does not fall back in one list when another has the word', () => {
    const lists = [tool('sg_a', 'weather'), tool('sg_b', 'wether')].map((one) => ({
      index: indexTools([one]),
    }))
    expect(searchTools(lists, 'wether', 10).map(({ name }) => name)).toEqual(['sg_b'])
  })

  test.each([
    ['forecast', 'sg_weather'],
    ['is it raining in Norway', 'sg_weather'],
    ['rent a novel', 'sg_library_loan'],
    ['when does it close', 'sg_museum_hours'],
  ])('the query %j finds %s first among 200 tools by the tags of its author', (query, name) => {
    const meant = [
      tool('sg_weather', 'Tells the weather in a city.', { tags: ['forecast', 'rain'] }),
      tool('sg_library_loan', 'Lends a book.', { tags: ['novel', 'rent', 'borrow'] }),
      tool('sg_museum_hours', 'Tells the opening hours of a museum.', { tags: ['closing time'] }),
    ]
    const others = Array.from({ length: 197 }, (_, index) => {
      const [verb, noun] = [VERBS[index % VERBS.length], NOUNS[index % NOUNS.length]]
      const description = `${verb} one ${noun}, or all that does in an account; it is in a list.`
      return tool(`sg_${verb}_${noun}_${index}`, description)
    })
    expect(found(query, [...others, ...meant])[0]).toBe(name)
  })

  test.each(['mall', 'zzz', '🚗', 'contest'])(
    'the query %j does not find similar words',
    (query) => {
      const tools = [tool('sg_a', 'The state of the news, an email to a contact. 🍕')]
      expect(found(query, tools)).toEqual([])
    },
  )
})
