/** A travel agency's bookings, small enough to read: the tools of a customer-service agent look things up and change them here. */
import type { Wish } from "./recorder.ts";

type Fields = Readonly<Record<string, unknown>>;

class Refused extends Error {}

interface Ticket {
  readonly ticket_id: string;
  traveller: string;
  train: string;
  date: string;
  departs: string;
  arrives: string;
  readonly fare: "flex" | "saver";
  place: string;
  readonly price_eur: number;
  status: string;
}

interface Stay {
  readonly stay_id: string;
  readonly hotel: string;
  readonly from: string;
  readonly nights: number;
  readonly rooms: string;
  readonly price_eur: number;
  status: string;
}

const CUSTOMER = {
  customer_id: "C-20871",
  name: "Marta Ilves",
  email: "marta.ilves@example.org",
  bookings: ["NL-48213", "NL-39977"],
  language: "en",
};

const TRAINS: Readonly<Record<string, readonly string[]>> = {
  "Oslo S-Bergen": ["R601 06:25 13:09 49", "R603 08:03 14:57 59", "R607 11:25 18:40 64", "R611 15:43 22:37 55"],
  "Bergen-Oslo S": ["R602 08:01 14:52 59", "R606 11:59 18:47 64", "N610 22:59 06:25 89"],
};

const HOTELS = [
  { hotel: "Hotel Bryggen Vest", ground_floor_twin: 0, upper_twin: 4, night_eur: 118, lift: false },
  { hotel: "Skansen Pensjonat", ground_floor_twin: 2, upper_twin: 1, night_eur: 109, lift: false },
  { hotel: "Havneblikk Hotel", ground_floor_twin: 0, upper_twin: 9, night_eur: 151, lift: true },
];

const RULES: Readonly<Record<string, string>> = {
  flex: "FARE RULE F-2 (flex). A flex ticket may be moved to another train or day until departure. Fee: 15.00 EUR for each ticket, plus the difference to the new train's price; a lower price is not paid back. A seat request goes along if the new train has such a seat.",
  saver:
    "FARE RULE S-4 (saver). A saver ticket cannot be moved. It may be cancelled until 48 hours before departure for 30 % of its price; the rest goes back to the means of payment within 10 working days. Later nothing is paid back.",
  names:
    "FARE RULE N-1 (change of name). The traveller of a ticket may be changed once, until 24 hours before departure, for 25.00 EUR for each ticket, saver included. Name as in the passport and date of birth are needed.",
  hotel:
    "STAY RULE H-3. Stays may be cancelled free of charge until 7 days before arrival, later for the price of the first night. Stays cannot be moved to other dates: cancel and book anew.",
  vouchers:
    "PAYMENT RULE V-1. Vouchers are used for part of an amount as well. What a voucher has paid goes back to the same voucher. Vouchers are valid for 3 years from the day of issue.",
  links:
    "PAYMENT RULE L-2. A payment link is valid for 48 hours. What it is for is held until then and released afterwards.",
};

/** The agency as it is in the morning. Each desk starts from the same day. */
export function openDesk() {
  const tickets: Ticket[] = ["Marta Ilves", "Helle Ilves"].flatMap((traveller, at) => [
    ticket(`T-7731${at + 1}`, traveller, { train: "R603", date: "2026-05-15", price_eur: 59 }),
    ticket(`T-7732${at + 1}`, traveller, { train: "N610", date: "2026-05-18", price_eur: 89 }),
  ]);
  const stays: Stay[] = [
    {
      stay_id: "H-5520",
      hotel: "Hotel Bryggen Vest",
      from: "2026-05-15",
      nights: 3,
      rooms: "1 twin, ground floor",
      price_eur: 354,
      status: "confirmed",
    },
  ];
  const voucher = { voucher: "GV-3306-K", balance_eur: 150, valid_until: "2027-09-30" };
  const means = [{ card: "Visa ending 4417", default: true }, voucher];
  const log: { event: string; amount_eur: number; means: string }[] = [];
  let [stayNumber, messageNumber] = [5641, 8810];

  const pay = (amount: number, by: unknown, event: string): Fields => {
    if (by !== voucher.voucher)
      throw new Refused("payment_declined: Visa ending 4417, reason card_blocked. Nothing was changed.");
    if (amount > voucher.balance_eur)
      throw new Refused(
        `voucher_balance: ${voucher.voucher} holds ${euros(voucher.balance_eur)}, needed are ${euros(amount)}. Nothing was changed.`,
      );
    voucher.balance_eur -= amount;
    log.push({ event, amount_eur: amount, means: voucher.voucher });
    return { paid_eur: amount, means: voucher.voucher, voucher_balance_eur: voucher.balance_eur };
  };
  const ticketOf = (id: unknown): Ticket => {
    const found = tickets.find(({ ticket_id }) => ticket_id === id);
    if (found === undefined) throw new Refused(`not_found: no ticket ${String(id)}`);
    return found;
  };

  const tools: Readonly<Record<string, (input: Fields) => unknown>> = {
    find_customer: () => CUSTOMER,
    get_booking: () => ({
      booking_id: "NL-48213",
      customer_id: CUSTOMER.customer_id,
      tickets,
      stays,
      means_of_payment: means,
    }),
    get_ticket: ({ ticket_id }) => ticketOf(ticket_id),
    search_trains: ({ from, to, date }) =>
      (TRAINS[`${String(from)}-${String(to)}`] ?? []).map((line) => {
        const [train, departs, arrives, price] = line.split(" ");
        const places =
          train === "N610"
            ? { lower_berths: date === "2026-05-20" ? 1 : 3, upper_berths: 6 }
            : { seats: 41, seats_near_door: 2 };
        return { train, date, departs, arrives, price_eur: Number(price), ...places };
      }),
    get_rules: ({ topic }) =>
      RULES[String(topic)] ?? `no rules on ${String(topic)}; topics: ${Object.keys(RULES).join(", ")}`,
    search_stays: ({ from, nights }) =>
      HOTELS.map((one) => ({ ...one, from, nights, total_eur: one.night_eur * Number(nights) })),
    change_ticket: ({ ticket_id, train, date, place, pay_by }) => {
      const one = ticketOf(ticket_id);
      if (one.fare === "saver") throw new Refused(`not_changeable: ${one.ticket_id} is a saver ticket (rule S-4)`);
      const [, departs, arrives, price] = TRAINS["Oslo S-Bergen"]!.find((line) =>
        line.startsWith(String(train)),
      )!.split(" ");
      const paid = pay(15 + Number(price) - one.price_eur, pay_by, `change ${one.ticket_id}`);
      Object.assign(one, { train, date, departs, arrives, place: place ?? one.place });
      return { ...one, ...paid };
    },
    rename_ticket: ({ ticket_id, traveller, born, pay_by }) => {
      if (born === undefined) throw new Refused("missing_field: born (date of birth of the new traveller, rule N-1)");
      const one = ticketOf(ticket_id);
      const paid = pay(25, pay_by, `rename ${one.ticket_id}`);
      one.traveller = String(traveller);
      return { ...one, ...paid };
    },
    cancel_ticket: ({ ticket_id }) => {
      const one = ticketOf(ticket_id);
      one.status = "cancelled";
      const refund = Math.round(one.price_eur * 70) / 100;
      log.push({ event: `refund ${one.ticket_id}`, amount_eur: -refund, means: "Visa ending 4417" });
      return {
        ...one,
        refund_eur: refund,
        refund_to: "Visa ending 4417",
        refund_by: "2026-04-23",
        refund_id: "RF-90114",
      };
    },
    redirect_refund: ({ refund_id, to }) => ({
      refund_id,
      amount_eur: 62.3,
      refund_to: to,
      status: "redirected",
      by: "2026-04-23",
    }),
    cancel_stay: ({ stay_id }) => {
      const one = stays.find((stay) => stay.stay_id === stay_id)!;
      one.status = "cancelled";
      return { ...one, fee_eur: 0, refund_eur: 0, note: "was to be paid on arrival" };
    },
    book_stay: ({ hotel, from, nights, rooms }) => {
      const { night_eur } = HOTELS.find((one) => one.hotel === hotel)!;
      const stay = {
        stay_id: `H-${stayNumber++}`,
        hotel: String(hotel),
        from: String(from),
        nights: Number(nights),
        rooms: String(rooms),
        price_eur: night_eur * Number(nights),
        status: "confirmed",
      };
      stays.push(stay);
      return { ...stay, payment: "on arrival", free_cancellation_until: "2026-05-10" };
    },
    hold_tickets: ({ train, date, travellers, places }) => ({
      hold_id: "HD-1187",
      train,
      date,
      travellers,
      places,
      price_eur: 178,
      status: "held",
      place_status: { "Helle Ilves": "lower berth 21, confirmed", "Marta Ilves": "upper berth 23, confirmed" },
    }),
    create_payment_link: ({ hold_id, use_voucher, send_to }) => {
      const part = voucher.balance_eur;
      pay(part, use_voucher, `part of ${String(hold_id)}`);
      return {
        link_id: "PL-66402",
        hold_id,
        voucher_part_eur: part,
        to_pay_eur: 178 - part,
        sent_to: send_to,
        valid_until: "2026-04-11T10:40:00+02:00",
      };
    },
    send_confirmation: ({ to, about }) => ({ message_id: `M-${messageNumber++}`, to, about, status: "sent" }),
    get_payments: () => log,
  };

  return (name: string, input: Fields = {}): Wish => ({
    name,
    input,
    run: () => {
      try {
        const answer = tools[name]!(input);
        return { text: typeof answer === "string" ? answer : JSON.stringify(answer), failed: false };
      } catch (error) {
        if (error instanceof Refused) return { text: `Error: ${error.message}`, failed: true };
        throw error;
      }
    },
  });
}

function ticket(ticket_id: string, traveller: string, leg: Pick<Ticket, "train" | "date" | "price_eur">): Ticket {
  const night = leg.train === "N610";
  return {
    ticket_id,
    traveller,
    ...leg,
    departs: night ? "22:59" : "08:03",
    arrives: night ? "06:25" : "14:57",
    fare: night ? "saver" : "flex",
    place:
      traveller === "Helle Ilves" ? (night ? "lower berth" : "seat near the door") : night ? "upper berth" : "seat",
    status: "confirmed",
  };
}

function euros(amount: number): string {
  return `${amount.toFixed(2)} EUR`;
}
