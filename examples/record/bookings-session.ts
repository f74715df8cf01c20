/** The session that is not about code: a traveller moves a journey by two days. The words are written here; what the tools answer is what the desk really did. */
import { openDesk } from "./booking-desk.ts";
import type { Recorder } from "./recorder.ts";

export const BOOKINGS_SYSTEM = `You are the service desk of Nordlys Rail Tours. You write with travellers and work with the booking tools.
Nobody learns anything about a booking before the e-mail address in it has been named. Say the price of a change and get a yes before you make it, one change at a time. Never promise what no tool has confirmed. Amounts are in euros.`;

const PRIVATE = "marta.ilves@example.org";
const WORK = "m.ilves@fjordlab.example";
const VOUCHER = "GV-3306-K";

export function recordBookingsSession(session: Recorder): void {
  const desk = openDesk();
  findTheBooking(session, desk);
  moveTheOutwardTickets(session, desk);
  moveTheStay(session, desk);
  useTheNightTickets(session, desk);
  bookTheNewNight(session, desk);
  session.user(LAST_REQUEST);
}

type Desk = ReturnType<typeof openDesk>;

const FIRST_REQUEST = `Good morning, this is Marta Ilves, booking NL-48213, my e-mail there is ${PRIVATE}. My mother's appointment was moved, so our trip to Bergen has to start on Sunday 17 May instead of Friday 15 May, everything two days later.

Three things to keep in mind, please:
- Never charge the Visa ending 4417. It is blocked. Use my voucher first.
- My mother Helle walks with a stick: she needs a seat near the door by day, a lower berth by night and a room on the ground floor.
- Send confirmations to my work address, ${WORK}, not to the private one.`;

const LAST_REQUEST = `Perfect. Before I go into my meeting, one short overview please: what have I paid today and with what, what comes back and where to, what do I still have to pay and until when, and is Helle's lower berth really confirmed or only requested?`;

function findTheBooking(session: Recorder, desk: Desk): void {
  session.user(FIRST_REQUEST);
  session.agent(
    "Good morning, Ms Ilves. I open the booking.",
    desk("find_customer", { email: PRIVATE }),
    desk("get_booking", { booking_id: "NL-48213" }),
  );
  session.agent(
    "The day trains are flex, the night trains are saver, and the stay is a third thing: I look up the rules for each before I name prices.",
    desk("get_rules", { topic: "flex" }),
    desk("get_rules", { topic: "saver" }),
    desk("get_rules", { topic: "hotel" }),
  );
  session.agent(
    "I found your booking. Three parts have different rules: the outward tickets R603 (flex) can be moved for 15.00 EUR each plus the price difference; the night tickets N610 back on 18 May (saver) cannot be moved, only cancelled for 30 %; the stay at Hotel Bryggen Vest cannot be moved either, but cancelling is free until 8 May. Shall I start with the outward journey, and is there a time that suits you on 17 May?",
  );
}

function moveTheOutwardTickets(session: Recorder, desk: Desk): void {
  session.user("Yes please. The 8 o'clock train as before would be best.");
  session.agent("", desk("search_trains", { from: "Oslo S", to: "Bergen", date: "2026-05-17" }));
  session.agent(
    "R603 at 08:03 on 17 May has seats, two of them near the door. Moving both tickets costs 2 × 15.00 = 30.00 EUR, the price is the same. Shall I?",
  );
  session.user(
    "Hmm, wait. Helle has physiotherapy until ten that day. Is there a later one that still arrives before dinner?",
  );
  session.agent(
    "R607 leaves at 11:25 and arrives at 18:40, 64.00 instead of 59.00 EUR. Moving both tickets then costs 2 × (15.00 + 5.00) = 40.00 EUR. R611 arrives only at 22:37.",
  );
  session.user("R607 then. 40 euros is fine.");
  session.agent(
    "",
    desk("change_ticket", {
      ticket_id: "T-77312",
      train: "R607",
      date: "2026-05-17",
      place: "seat near the door",
      pay_by: "default",
    }),
  );
  session.agent(
    "The default means of payment is the blocked card, which you told me not to use; that was my mistake, and nothing was charged. Again with the voucher.",
    desk("change_ticket", {
      ticket_id: "T-77312",
      train: "R607",
      date: "2026-05-17",
      place: "seat near the door",
      pay_by: VOUCHER,
    }),
    desk("change_ticket", { ticket_id: "T-77311", train: "R607", date: "2026-05-17", pay_by: VOUCHER }),
  );
  session.agent("", desk("send_confirmation", { to: WORK, about: "T-77311, T-77312: R607 on 2026-05-17" }));
  session.agent(
    "Both tickets are on R607 on 17 May, 11:25 to 18:40, Helle with a seat near the door. 40.00 EUR went off voucher GV-3306-K, which now holds 110.00 EUR. The confirmation is on its way to your work address.",
  );
}

function moveTheStay(session: Recorder, desk: Desk): void {
  session.user("Great. Now the hotel, three nights from the 17th, same hotel if you can.");
  session.agent("", desk("search_stays", { city: "Bergen", from: "2026-05-17", nights: 3 }));
  session.agent(
    "Hotel Bryggen Vest has no room on the ground floor from 17 May, only upstairs, and no lift. Skansen Pensjonat has two twins on the ground floor, 109.00 EUR a night, 327.00 in all (27.00 less than now). Havneblikk Hotel has a lift, 151.00 a night, but nothing on the ground floor.",
  );
  session.user(
    "She is afraid of lifts since she got stuck in one, so not Havneblikk. Skansen is good. Does cancelling the other one cost anything?",
  );
  session.agent(
    "No: by rule H-3 it is free until 7 days before arrival, that is 8 May. I would book Skansen first and cancel Bryggen Vest only when that is confirmed. Both are paid on arrival. Shall I?",
  );
  session.user("Yes, exactly in that order.");
  session.agent(
    "",
    desk("book_stay", { hotel: "Skansen Pensjonat", from: "2026-05-17", nights: 3, rooms: "1 twin, ground floor" }),
  );
  session.agent("Confirmed as H-5641. Now the cancellation.", desk("cancel_stay", { stay_id: "H-5520" }));
  session.agent(
    "Skansen Pensjonat is booked from 17 to 20 May (H-5641, one twin on the ground floor, 327.00 EUR, paid on arrival, free to cancel until 10 May). Bryggen Vest (H-5520) is cancelled at no charge.",
  );
}

function useTheNightTickets(session: Recorder, desk: Desk): void {
  session.user(
    "Now the way back. Losing 30 % hurts. Can somebody else use the tickets of the 18th? My brother Priit is in Bergen that week and has to be in Oslo on the 19th.",
  );
  session.agent("That may work, I look up the rule on names.", desk("get_rules", { topic: "names" }));
  session.agent(
    "Yes: the traveller of a saver ticket may be changed once for 25.00 EUR. For Priit one of the two tickets: 25.00 EUR instead of a loss of 26.70. The other ticket would be cancelled, of its 89.00 EUR 62.30 come back. Which of you keeps which does not matter. For the change I need Priit's name as in the passport and his date of birth.",
  );
  session.user("Do that. Priit Ilves as in the passport. He can have mine, he does not need the lower berth.");
  session.agent("", desk("rename_ticket", { ticket_id: "T-77321", traveller: "Priit Ilves", pay_by: VOUCHER }));
  session.agent("The system insists on the date of birth (rule N-1). Could you tell me Priit's?");
  session.user("3 November 1988, sorry.");
  session.agent(
    "",
    desk("rename_ticket", { ticket_id: "T-77321", traveller: "Priit Ilves", born: "1988-11-03", pay_by: VOUCHER }),
  );
  session.agent(
    "T-77321 is Priit's now, 25.00 EUR from the voucher, which holds 85.00 EUR. Next is Helle's ticket T-77322: cancelled, 26.70 EUR are lost and 62.30 EUR come back. May I?",
  );
  session.user("Yes, cancel it.");
  session.agent("", desk("cancel_ticket", { ticket_id: "T-77322" }));
  session.agent(
    "The refund RF-90114 of 62.30 EUR is set to go to the Visa ending 4417, because that card paid for the ticket. As the card is blocked, I try to have it sent to the voucher instead.",
    desk("get_rules", { topic: "vouchers" }),
    desk("redirect_refund", { refund_id: "RF-90114", to: VOUCHER }),
  );
  session.agent(
    "T-77322 is cancelled. The 62.30 EUR (RF-90114) now go to voucher GV-3306-K instead of the blocked card, by 23 April.",
  );
}

function bookTheNewNight(session: Recorder, desk: Desk): void {
  session.user("You think of everything. Then the new night train for the two of us on the 20th.");
  session.agent("", desk("search_trains", { from: "Bergen", to: "Oslo S", date: "2026-05-20" }));
  session.agent(
    "N610 on 20 May, 22:59 to 06:25, 89.00 EUR each, 178.00 in all. One lower berth is left, which Helle would get; you would have an upper one in the same compartment. The voucher covers 85.00 EUR, for the remaining 93.00 EUR I would send you a payment link. It is valid for 48 hours, and the places are held until then.",
  );
  session.user(
    "Yes please. Link to my work address as well, I will pay it with the company card and settle it with them.",
  );
  session.agent(
    "First the places, so that the lower berth is not gone.",
    desk("hold_tickets", {
      train: "N610",
      date: "2026-05-20",
      travellers: ["Helle Ilves", "Marta Ilves"],
      places: ["lower berth", "upper berth"],
    }),
    desk("get_rules", { topic: "links" }),
  );
  session.agent("", desk("create_payment_link", { hold_id: "HD-1187", use_voucher: VOUCHER, send_to: WORK }));
  session.agent("", desk("get_payments", { booking_id: "NL-48213" }), desk("get_booking", { booking_id: "NL-48213" }));
  session.agent(
    "The places are held (HD-1187): Helle in lower berth 21, you in upper berth 23. 85.00 EUR came off the voucher, which is now empty, and the link PL-66402 for 93.00 EUR went to your work address.",
  );
}
