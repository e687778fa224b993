-- Adminer 4.8.1 MySQL 10.11.19-MariaDB-0+deb12u1 dump

SET NAMES utf8;
SET time_zone = '+00:00';
SET foreign_key_checks = 0;
SET sql_mode = 'NO_AUTO_VALUE_ON_ZERO';

SET NAMES utf8mb4;

CREATE TABLE `users` (
  `id` int(11) NOT NULL,
  `email` varchar(190) DEFAULT NULL,
  `password` varchar(100) DEFAULT NULL,
  `full_name` varchar(100) DEFAULT NULL,
  `created_at` datetime DEFAULT NULL,
  PRIMARY KEY (`id`)
) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=utf8mb4_general_ci;

INSERT INTO `users` (`id`, `email`, `password`, `full_name`, `created_at`) VALUES
(1,	'ann@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'Ann Plain',	'2019-03-01 08:09:10'),
(2,	'bob@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Bob \"Bo\" Ray',	'2019-03-02 08:09:10'),
(3,	'cap@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'\"Al\" Capri',	'2019-03-03 08:09:10'),
(4,	'dir@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'C:\\new',	'2019-03-04 08:09:10'),
(5,	'tab@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'Tab	Town',	'2019-03-05 08:09:10'),
(6,	'lines@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Two\nLines',	'2019-03-06 08:09:10'),
(7,	'cr@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'Old\rMac',	'2019-03-07 08:09:10'),
(8,	'crlf@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Dos\r\nLines',	'2019-03-08 08:09:10'),
(9,	'none@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	NULL,	'2019-03-09 08:09:10'),
(10,	'null@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'NULL',	'2019-03-10 08:09:10'),
(11,	'empty@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'',	'2019-03-11 08:09:10'),
(12,	'semi@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Semi; Colon',	'2019-03-12 08:09:10'),
(13,	'comma@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'Comma, Jr.',	'2019-03-13 08:09:10'),
(14,	'emoji@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Party 🎉 Person',	'2019-03-14 08:09:10'),
(15,	'accent@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'José Decomposed',	'2019-03-15 08:09:10'),
(16,	'zoe@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'Zoë Müller',	'2019-03-16 08:09:10'),
(17,	'end@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'ends with \\',	'2019-03-17 08:09:10'),
(18,	'slash-n@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'\\N',	'2019-03-18 08:09:10'),
(19,	'apos@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'O\'Brien',	'2019-03-19 08:09:10'),
(20,	'spaces@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'  two spaces  ',	'2019-03-20 08:09:10'),
(21,	'formula@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'=1+1',	'2019-03-21 08:09:10'),
(22,	'quote@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'\"',	'2019-03-22 08:09:10'),
(23,	'quoted@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'\"whole\"',	'2019-03-23 08:09:10'),
(24,	'slash-quote@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'a\\\"b',	'2019-03-24 08:09:10'),
(25,	'paths@old.example',	'$2y$07$BCryptRequires22Chrcte/VlQH0piJtjXl.0t1XkA8pw9dMXTpOq',	'\\\\server\\table',	'2019-03-25 08:09:10'),
(26,	'pipe@old.example',	'$2y$10$RIf8qfOgGMIBEdvkZPl2jeRs8GgY1vr4OOcfPkFvFvX7SUkr2NEvK',	'a|b',	'2019-03-26 08:09:10');

-- 2026-11-29 13:20:27
