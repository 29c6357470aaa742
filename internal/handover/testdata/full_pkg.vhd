-- VHDL component of the module random
-- Version word of the build: 1ea5ed01
library ieee;
use ieee.std_logic_1164.all;

package random_pkg is
  constant random_version : std_logic_vector(31 downto 0) := x"1ea5ed01";
  constant random_latency : natural := 0; -- enabled clocks from inputs to outputs
  constant random_CLASS_normal : natural := 0; -- class normal
  constant random_CLASS_worn_out : natural := 1; -- class worn out
  constant random_CLASS_2 : natural := 2; -- class
  constant random_CLASS_NORMAL_3 : natural := 3; -- class NORMAL
  constant random_CLASS_d_j_vu : natural := 4; -- class _d?j?__vu_
  constant random_CLASS_normal_3_5 : natural := 5; -- class normal_3

  component random is
    port (
      x : in std_logic_vector(47 downto 0); -- 6 words of 8 bits, the first lowest: feature 0 to feature 5
      class_index : out std_logic_vector(1 downto 0) -- 2 bits: class
    );
  end component;
end package;
